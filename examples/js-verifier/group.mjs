// ristretto255 (section 2): points read from messages, scalars, hashing to the group, sums of products.
import { RistrettoPoint } from '@noble/curves/ed25519.js';
import { Invalid, join, must, u64 } from './bytes.mjs';
import { H64 } from './hash.mjs';
import { text } from './bytes.mjs';

export const L = 2n ** 252n + 27742317777372353535851937790883648493n;
export const G = RistrettoPoint.BASE;
export const ZERO = RistrettoPoint.ZERO;
export const mod = x => ((x % L) + L) % L;

export const little = b => { let v = 0n; for (let i = b.length - 1; i >= 0; i--) v = (v << 8n) | BigInt(b[i]); return v; };
export const scalarBytes = x => { const b = new Uint8Array(32); for (let i = 0; i < 32; i++) { b[i] = Number(x & 255n); x >>= 8n; } return b; };
export const wide = b => mod(little(b));

export function point(b, check = 'encoding') {
  must(b.length === 32 && !(b[31] & 0x80) && b.some(x => x), check, 'no point');
  try { return RistrettoPoint.fromHex(b); } catch { throw new Invalid(check, 'no point'); }
}
export function scalar(b, check = 'encoding') {
  const v = b.length === 32 ? little(b) : 0n;
  must(v > 0n && v < L, check, 'no scalar');
  return v;
}
export const bytesOf = p => p.toRawBytes();
export const many = points => join(...points.map(bytesOf));
export const hashToPoint = (label, ...parts) => RistrettoPoint.hashToCurve(H64(label, ...parts));

export const mul = (p, s) => { s = mod(s); return s === 0n ? ZERO : p === G ? G.multiply(s) : p.multiplyUnsafe(s); };
export const inverse = x => {
  let [a, b, u, v] = [mod(x), L, 1n, 0n];
  while (b) { const q = a / b; [a, b] = [b, a - q * b]; [u, v] = [v, u - q * v]; }
  return mod(u);
};

// Σ s_i·P_i, by Straus for few points and buckets for many.
export function sum(points, scalars) {
  const pairs = points.map((p, i) => [p, mod(scalars[i])]).filter(([, s]) => s);
  if (!pairs.length) return ZERO;
  if (pairs.length > 6) return buckets(pairs);
  const tables = pairs.map(([p]) => { const t = [ZERO, p]; for (let i = 2; i < 16; i++) t.push(t[i - 1].add(p)); return t; });
  let acc = ZERO;
  for (let i = 63; i >= 0; i--) {
    if (i < 63) acc = acc.double().double().double().double();
    pairs.forEach(([, s], k) => { const d = Number((s >> BigInt(4 * i)) & 15n); if (d) acc = acc.add(tables[k][d]); });
  }
  return acc;
}
function buckets(pairs) {
  const c = pairs.length < 40 ? 4 : pairs.length < 200 ? 6 : 7;
  const mask = (1n << BigInt(c)) - 1n;
  let acc = ZERO;
  for (let i = Math.ceil(253 / c) - 1; i >= 0; i--) {
    for (let k = 0; k < c; k++) acc = acc.double();
    const bucket = new Array(1 << c).fill(null);
    for (const [p, s] of pairs) {
      const d = Number((s >> BigInt(c * i)) & mask);
      if (d) bucket[d] = bucket[d] ? bucket[d].add(p) : p;
    }
    let run = ZERO, total = ZERO;
    for (let d = bucket.length - 1; d > 0; d--) { if (bucket[d]) run = run.add(bucket[d]); total = total.add(run); }
    acc = acc.add(total);
  }
  return acc;
}

const remembered = new Map();
const once = (name, make) => { if (!remembered.has(name)) remembered.set(name, make()); return remembered.get(name); };
export const cardPoint = (edition, c) => once(`${edition} ${c}`, () => hashToPoint('card', text(edition), u64(c)));
export const generator = i => once(i, () => hashToPoint('generator', u64(i)));
