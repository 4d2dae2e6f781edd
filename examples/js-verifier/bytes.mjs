// Bytes: hex, joining, big-endian integers, F (section 2).
export const hex = b => Buffer.from(b).toString('hex');
export const unhex = s => Uint8Array.from(Buffer.from(s, 'hex'));
export const text = s => new TextEncoder().encode(s);
export const join = (...parts) => {
  const all = new Uint8Array(parts.reduce((n, p) => n + p.length, 0));
  let at = 0;
  for (const p of parts) { all.set(p, at); at += p.length; }
  return all;
};
export const same = (a, b) => a.length === b.length && a.every((x, i) => x === b[i]);
export const compare = (a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b));
const unsigned = size => x => {
  const b = new Uint8Array(size);
  let v = BigInt(x);
  for (let i = size - 1; i >= 0; i--) { b[i] = Number(v & 255n); v >>= 8n; }
  return b;
};
export const u16 = unsigned(2), u32 = unsigned(4), u64 = unsigned(8);
export const F = x => join(u64(x.length), x);
export const cut = (b, size) => {
  const pieces = [];
  for (let i = 0; i + size <= b.length; i += size) pieces.push(b.subarray(i, i + size));
  return pieces;
};

// What a check of the protocol throws; `check` is its name.
export class Invalid extends Error {
  constructor(check, why = '', more = {}) {
    super(why ? `${check}: ${why}` : check);
    this.check = check;
    Object.assign(this, more);
  }
}
export const must = (ok, check, why, more) => { if (!ok) throw new Invalid(check, why, more); };
