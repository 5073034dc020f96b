/**
 * Methods of Node's Buffer behind `toString`; called directly they save a quarter of the time for a short
 * string.
 */
interface Buffer<TArrayBuffer extends ArrayBufferLike = ArrayBufferLike> {
  latin1Slice(start: number, end: number): string
  latin1Write(text: string, offset: number): number
  utf8Slice(start: number, end: number): string
}
