"""A second opinion on signatures: ECDSA over secp256k1 in plain affine arithmetic, slow and obvious."""

Point = tuple[int, int] | None

P = 2**256 - 2**32 - 977
N = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
G = (
    0x79BE667EF9DCBBAC55A06295CE870B07029BFCDB2DCE28D959F2815B16F81798,
    0x483ADA7726A3C4655DA4FBFC0E1108A8FD17B448A68554199C47D08FFB10D4B8,
)


def add(left: Point, right: Point) -> Point:
    """Add two points."""
    if left is None or right is None:
        return left or right
    if left[0] == right[0]:
        if (left[1] + right[1]) % P == 0:
            return None
        slope = 3 * left[0] * left[0] * pow(2 * left[1], -1, P)
    else:
        slope = (right[1] - left[1]) * pow(right[0] - left[0], -1, P)
    x = (slope * slope - left[0] - right[0]) % P
    return x, (slope * (left[0] - x) - left[1]) % P


def times(scalar: int, point: Point) -> Point:
    """Multiply a point."""
    total: Point = None
    while scalar:
        if scalar & 1:
            total = add(total, point)
        point = add(point, point)
        scalar >>= 1
    return total


def verifies(key: bytes, digest: bytes, signature: bytes) -> bool:
    """Tell whether r || s || v is the key's signature of the digest, low and with the right recovery id."""
    r, s = int.from_bytes(signature[:32]), int.from_bytes(signature[32:64])
    if not (0 < r < N and 0 < s <= N // 2):
        return False
    inverse, public = pow(s, -1, N), times(int.from_bytes(key), G)
    z = int.from_bytes(digest)
    nonce = add(times(z * inverse % N, G), times(r * inverse % N, public))
    return nonce is not None and nonce[0] == r and signature[64] - 27 == nonce[1] & 1
