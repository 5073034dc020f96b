/** Sites into parts, one per crawler: `npx tsx docs/examples/partition.ts web.hgr 4 [web.vw]` */
import { type Hypergraph, partition, readHypergraph } from 'orbweaver'

const [file, k = '2', weights] = process.argv.slice(2)

/**
 * Without a file: six sites and three pages whose links leave their site, each page a net with its own site
 * first.
 */
const sixSites: Hypergraph = {
  vertexCount: 6,
  netCount: 3,
  netOffsets: Uint32Array.of(0, 3, 5, 8),
  pins: Uint32Array.of(0, 1, 2, 2, 3, 3, 4, 5),
  netCosts: Float64Array.of(1, 1, 1),
  constraintCount: 1,
  vertexWeights: Float64Array.of(120, 80, 100, 90, 110, 100),
}

const hypergraph = file === undefined ? sixSites : readHypergraph(file, weights)
const { parts, km1, imbalance } = partition({ hypergraph, k: Number(k), epsilon: 0.05, seed: 1 })

console.log(`${km1} messages, heaviest part ${(100 * Math.max(...imbalance)).toFixed(1)} % above its share`)
if (file === undefined) console.log(`parts ${parts.join(' ')}`)
