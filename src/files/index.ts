/**
 * files/: reading and writing files safely.
 * In: a path and bytes. Out: files that are whole or absent after a crash, with digests.
 * Always: a path is resolved inside its directory, links are refused, and a file counts only after fsync.
 */
export { CheckedFiles, compareFile, type FileProblem, type ListedFile } from './checked-files.js'
export { joinCrc32 } from './crc32-join.js'
export { DamageError, damageError } from './damage-error.js'
export { DurableFile, syncDirectory, writeDurably, writeFileAtomically } from './durable.js'
export { type Crc32, digestFile, digestLines } from './file-digest.js'
export { OPEN, pathInside, readSmallFile, readTextFile, refuseLinks } from './inside.js'
export { copyKept, openKept } from './kept-file.js'
export { readSealed, writeSealed } from './sealed-json.js'
export { type Output, StagedFile } from './staged-file.js'
export { BLOCK_BYTES, BlockAccess, releaseBuffer, takeBuffer } from './uncached-write.js'
export { copyBytes, readWhole, writeWhole } from './whole-io.js'
export { WindowedFile } from './windowed-file.js'
