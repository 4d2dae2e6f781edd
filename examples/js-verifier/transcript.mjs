// P0: the labelled transcript and the context of a statement (section 9); cards hash (section 8).
import { F, join, text, u64 } from './bytes.mjs';
import { H, H64, sha512 } from './hash.mjs';
import { wide } from './group.mjs';

export class Transcript {
  constructor() { this.stream = sha512.create().update(F(text('nodealer v1 transcript'))); }
  append(label, ...data) {
    this.stream.update(join(F(text('append')), F(text(label)), F(join(...data))));
    return this;
  }
  state() { return this.stream.clone().digest(); }
  challenges(label, count) {
    this.stream.update(join(F(text('challenge')), F(text(label)), F(u64(count))));
    const state = this.state();
    return Array.from({ length: count }, (_, i) => wide(H64('challenge', state, u64(i))));
  }
  challenge(label) { return this.challenges(label, 1)[0]; }
}

export function begin(label, context) {
  const t = new Transcript();
  t.append('protocol', text('nodealer v1')).append('statement', text(label)).append('table', context.table);
  for (const field of ['round', 'epoch', 'attempt', 'seat', 'slot', 'n']) t.append(field, u64(context[field]));
  return t.append('cards', context.cards);
}
export const cardsHash = (edition, ids) => H('cards', text(edition), join(...ids.map(u64)));
