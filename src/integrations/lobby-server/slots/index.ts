// A slot is a place that the service counts as taken by a player. `free-slot.ts` frees it when the
// player has left. `slot-files.ts` remembers each one on disk, so that `free-earlier-slots.ts`
// frees those of a process that was killed.
export { createFreeSlot, type FreeSlot } from './free-slot.js';
export { slotFiles, type SlotFiles, type SlotFilesConfig } from './slot-files.js';
