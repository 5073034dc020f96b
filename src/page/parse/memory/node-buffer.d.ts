/**
 * Methods of Node's Buffer behind `toString`. For short strings a direct call saves a quarter of the time.
 */
interface Buffer<TArrayBuffer extends ArrayBufferLike = ArrayBufferLike> {
  latin1Slice(start: number, end: number): string
  latin1Write(text: string, offset: number): number
  utf8Slice(start: number, end: number): string
}
