// Editions and cards (section 11).
const shared = { players: [2, 10], targets: [0, 500], challenge: true, stacking: false, starts: false, lastDrawn: true, quietCaught: false };
export const editions = {
  'four-colors': { ...shared, players: [2, 4], targets: [0, 250, 500], cards: 108, special: null, challenge: false, stacking: true, starts: true, lastDrawn: false, quietCaught: true },
  'despicable-me-4': { ...shared, cards: 112, special: 'minions' },
  'lilo-stitch': { ...shared, cards: 112, special: 'ohana' },
};
const kinds = [0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 'two', 'two', 'reverse', 'reverse', 'skip', 'skip'];

// colour is null for a wild; kind is a number, two, reverse, skip, wild, four, or the special.
export function face(edition, c) {
  if (c < 100) return { colour: Math.floor(c / 25), kind: kinds[c % 25] };
  return { colour: null, kind: c < 104 ? 'wild' : c < 108 ? 'four' : editions[edition].special };
}
export const isNumber = f => typeof f.kind === 'number';
export const isIcon = f => ['two', 'reverse', 'skip'].includes(f.kind);
export const isWild = f => f.colour === null;
export const points = f => (isNumber(f) ? f.kind : isIcon(f) ? 20 : 50);
export const allIds = edition => Array.from({ length: editions[edition].cards }, (_, i) => i);
