// Ed25519 as section 2 wants it: strict keys, S reduced, no cofactor, R compared as bytes.
import { ed25519 } from '@noble/curves/ed25519.js';
import { must, same, join } from './bytes.mjs';
import { H64, sha512 } from './hash.mjs';
import { little, wide, L } from './group.mjs';

const Point = ed25519.Point ?? ed25519.ExtendedPoint;
const keys = new Map();
export function publicKey(b, check = 'encoding') {
  must(b instanceof Uint8Array && b.length === 32, check, 'a key that is none');
  const name = Buffer.from(b).toString('hex');
  if (!keys.has(name)) {
    let p = null;
    try { p = Point.fromHex(b, false); } catch { /* stays null */ }
    if (p && (!same(p.toRawBytes(), b) || p.equals(Point.ZERO) || !p.isTorsionFree())) p = null;
    keys.set(name, p);
  }
  must(keys.get(name), check, 'a key that is none');
  return keys.get(name);
}
export function signed(key, label, message, signature) {
  if (!(signature instanceof Uint8Array) || signature.length !== 64) return false;
  const A = publicKey(key), R = signature.subarray(0, 32), S = little(signature.subarray(32));
  if (S >= L) return false;
  const k = wide(sha512(join(R, key, H64(label, message))));
  const left = S ? Point.BASE.multiply(S) : Point.ZERO;
  return same((k ? left.subtract(A.multiplyUnsafe(k)) : left).toRawBytes(), R);
}
