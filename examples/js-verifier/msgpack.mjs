// Canonical msgpack (section 2): arrays, integers, bytes, text, booleans, nil.
// Integers are numbers, or BigInt beyond 2^53.
import { Invalid, join, same, text } from './bytes.mjs';

const uint = (size, v) => {
  const b = new Uint8Array(size);
  for (let i = size - 1; i >= 0; i--) { b[i] = Number(v & 255n); v >>= 8n; }
  return b;
};
const head = (byte, size, v) => join(Uint8Array.of(byte), uint(size, BigInt.asUintN(64, BigInt(v))));

function integer(v) {
  v = BigInt(v);
  if (v >= 0n) {
    if (v < 128n) return Uint8Array.of(Number(v));
    if (v < 1n << 8n) return head(0xcc, 1, v);
    if (v < 1n << 16n) return head(0xcd, 2, v);
    if (v < 1n << 32n) return head(0xce, 4, v);
    if (v < 1n << 64n) return head(0xcf, 8, v);
  } else {
    if (v >= -32n) return Uint8Array.of(Number(256n + v));
    if (v >= -(1n << 7n)) return head(0xd0, 1, v);
    if (v >= -(1n << 15n)) return head(0xd1, 2, v);
    if (v >= -(1n << 31n)) return head(0xd2, 4, v);
    if (v >= -(1n << 63n)) return head(0xd3, 8, v);
  }
  throw new RangeError('integer out of range');
}

export function enc(v) {
  if (v === null) return Uint8Array.of(0xc0);
  if (v === false) return Uint8Array.of(0xc2);
  if (v === true) return Uint8Array.of(0xc3);
  if (typeof v === 'number' || typeof v === 'bigint') return integer(v);
  if (typeof v === 'string') {
    const b = text(v), n = b.length;
    const h = n < 32 ? Uint8Array.of(0xa0 + n) : n < 256 ? head(0xd9, 1, n) : n < 65536 ? head(0xda, 2, n) : head(0xdb, 4, n);
    return join(h, b);
  }
  if (v instanceof Uint8Array) {
    const n = v.length;
    return join(n < 256 ? head(0xc4, 1, n) : n < 65536 ? head(0xc5, 2, n) : head(0xc6, 4, n), v);
  }
  if (Array.isArray(v)) {
    const n = v.length;
    const h = n < 16 ? Uint8Array.of(0x90 + n) : n < 65536 ? head(0xdc, 2, n) : head(0xdd, 4, n);
    return join(h, ...v.map(enc));
  }
  throw new TypeError('no encoding for this value');
}

// One value, nothing after it, within the limits, in its shortest form.
export function dec(bytes, { size = Infinity, depth = 8, values = 4096, check = 'body' } = {}) {
  const bad = why => { throw new Invalid(check, why); };
  if (bytes.length > size) bad('too long');
  let at = 0, count = 0;
  const take = n => { if (at + n > bytes.length) bad('ends too early'); return bytes.subarray(at, at += n); };
  const big = n => take(n).reduce((v, b) => (v << 8n) | BigInt(b), 0n);
  const small = v => (v >= BigInt(Number.MIN_SAFE_INTEGER) && v <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(v) : v);
  const str = n => {
    let s;
    try { s = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(take(n)); } catch { bad('text that is not UTF-8'); }
    return s;
  };
  const array = (n, level) => {
    if (level + 1 > depth) bad('nested too deeply');
    if (count + n > values) bad('too many values');
    const a = [];
    for (let i = 0; i < n; i++) a.push(value(level + 1));
    return a;
  };
  const value = level => {
    if (++count > values) bad('too many values');
    const b = take(1)[0];
    if (b < 0x80) return b;
    if (b >= 0xe0) return b - 256;
    if (b >= 0x90 && b < 0xa0) return array(b - 0x90, level);
    if (b >= 0xa0 && b < 0xc0) return str(b - 0xa0);
    switch (b) {
      case 0xc0: return null;
      case 0xc2: return false;
      case 0xc3: return true;
      case 0xc4: return take(Number(big(1)));
      case 0xc5: return take(Number(big(2)));
      case 0xc6: return take(Number(big(4)));
      case 0xcc: return small(big(1));
      case 0xcd: return small(big(2));
      case 0xce: return small(big(4));
      case 0xcf: return small(big(8));
      case 0xd0: return small(BigInt.asIntN(8, big(1)));
      case 0xd1: return small(BigInt.asIntN(16, big(2)));
      case 0xd2: return small(BigInt.asIntN(32, big(4)));
      case 0xd3: return small(BigInt.asIntN(64, big(8)));
      case 0xd9: return str(Number(big(1)));
      case 0xda: return str(Number(big(2)));
      case 0xdb: return str(Number(big(4)));
      case 0xdc: return array(Number(big(2)), level);
      case 0xdd: return array(Number(big(4)), level);
      default: return bad('a value of another type');
    }
  };
  const v = value(0);
  if (at !== bytes.length) bad('something after the value');
  if (!same(enc(v), bytes)) bad('not in its shortest form');
  return v;
}

export const isInt = (v, low, high) => typeof v === 'number' && Number.isInteger(v) && v >= low && v <= high;
export const isBytes = (v, n) => v instanceof Uint8Array && (n === undefined || v.length === n);
export const isArray = (v, n) => Array.isArray(v) && (n === undefined || v.length === n);
