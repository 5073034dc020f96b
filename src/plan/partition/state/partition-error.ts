/** A request that cannot be served: the message is one clear line for the user. */
export class PartitionError extends Error {
  override readonly name = 'PartitionError'
}
