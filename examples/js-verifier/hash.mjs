// The one hash (section 2).
import { sha512 } from '@noble/hashes/sha2.js';
import { hkdf } from '@noble/hashes/hkdf.js';
import { F, join, text } from './bytes.mjs';

const named = label => F(text('nodealer v1 ' + label));
export { sha512 };
export const H64 = (label, ...parts) => sha512(join(named(label), ...parts.map(F)));
export const H = (label, ...parts) => H64(label, ...parts).subarray(0, 32);
export const HKDF = (seed, label, length, info) =>
  hkdf(sha512, seed, undefined, join(named(label), F(info)), length);
