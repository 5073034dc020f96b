/** This life was ended by the ledger: whatever it still holds belongs to others now. A new life may begin. */
export class FencedError extends Error {}
