/**
 * This incarnation was ended by the ledger: whatever it still holds belongs to others now. A new incarnation
 * may begin.
 */
export class FencedError extends Error {}
