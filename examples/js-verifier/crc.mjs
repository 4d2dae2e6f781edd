// CRC-32 of IEEE 802.3.
const table = Uint32Array.from({ length: 256 }, (_, n) => { for (let k = 0; k < 8; k++) n = n & 1 ? (n >>> 1) ^ 0xedb88320 : n >>> 1; return n; });
export const crc32 = b => { let c = ~0; for (const x of b) c = table[(c ^ x) & 255] ^ (c >>> 8); return ~c >>> 0; };
// The same byte by byte: the CRC of all bytes given so far.
export const rolling = () => { let c = ~0; return x => { c = table[(c ^ x) & 255] ^ (c >>> 8); return ~c >>> 0; }; };
