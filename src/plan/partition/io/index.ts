/**
 * partition/io/: files <-> hypergraphs, weights and parts. In: hMETIS `.hgr`, METIS `.graph` and files with a
 * line per vertex. Out: typed arrays, or a PartitionError of one line that names file and line. Always:
 * memory follows the bytes of the file, never what its header says.
 */
export { readHypergraph } from './read-hypergraph.js'
export {
  readAffinity,
  readFixed,
  readGroups,
  readParts,
  readPrevious,
  readTargets,
  readWeights,
} from './vertex-files.js'
export { writeParts } from './write-parts.js'
