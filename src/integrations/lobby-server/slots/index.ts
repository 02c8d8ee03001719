export { createFreeSlot, type FreeSlot } from './free-slot.js';
export { slotFiles, type SlotFiles, type SlotFilesConfig } from './slot-files.js';
