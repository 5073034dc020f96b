/**
 * partition/check/: files -> what the partition in them is worth. In: the files a partition was made of, and
 * the part file. Out: objectives and balance. Always: nothing in here is used by the partitioner, nor the
 * other way round.
 */
export { type Checked, checkPartition } from './check-partition.js'
