"""Market state for many symbols of several venues: tickers, reference prices, order books and orders."""
