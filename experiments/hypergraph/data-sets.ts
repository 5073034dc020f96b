/**
 * The four data sets of the hypergraph paper: its Tables 1 and 2, and the laws of the graphs that replace its
 * data. docs/explanation/experiments/hypergraph.md tells how the laws were found.
 */
import type { SizeLaw } from './site-sizes.js'

export const PART_COUNTS: readonly number[] = [4, 8, 16, 32, 64]

/**
 * Among the sites with links, the one at quantile u links to 1 + scale * ((1 - u) ^ (-1 / exponent) - 1)
 * sites.
 */
interface DegreeLaw {
  /** The share of sites with links to other sites. */
  readonly linking: number
  readonly scale: number
  readonly exponent: number
}

export interface DataSet {
  readonly name: string
  /** The number of countries; a site is popular in one of them. */
  readonly countries: number
  readonly pages: number
  readonly sites: number
  readonly links: number
  /** The share of links inside a site. */
  readonly intraPercent: number
  /** The number of pages with links to other sites. */
  readonly nets: number
  readonly pins: number
  /** Whether the sizes of pages are known; else each weighs 1. */
  readonly knowsBytes: boolean
  readonly sizes: SizeLaw
  readonly sizeSeed: number
  readonly degrees: DegreeLaw
  readonly paper: PaperTable
}

/** Table 2, for each K. */
interface PaperTable {
  readonly hashImbalancePercent: readonly number[]
  readonly hpImbalancePercent: readonly number[]
  readonly hashThousands: readonly number[]
  readonly hpThousands: readonly number[]
  /** Messages by hash divided by those of the partition, the mean over K. */
  readonly reduction: number
}

export const DATA_SETS: readonly DataSet[] = [
  {
    name: 'google',
    countries: 1,
    pages: 913_569,
    sites: 15_819,
    links: 4_480_218,
    intraPercent: 87.42,
    nets: 86_552,
    pins: 277_805,
    knowsBytes: true,
    sizes: { exponent: 1.4, shift: 32 },
    sizeSeed: 3633,
    degrees: { linking: 0.785, scale: 6.862, exponent: 1.768 },
    paper: {
      hashImbalancePercent: [14.57, 20.79, 22.34, 70.18, 131.46],
      hpImbalancePercent: [4.99, 4.99, 4.99, 4.99, 4.79],
      hashThousands: [24.0, 40.0, 56.4, 71.7, 84.7],
      hpThousands: [8.4, 9.3, 10.9, 12.3, 13.7],
      reduction: 4.9,
    },
  },
  {
    name: 'in-2004',
    countries: 1,
    pages: 1_382_908,
    sites: 4_380,
    links: 16_917_053,
    intraPercent: 95.92,
    nets: 205_106,
    pins: 555_195,
    knowsBytes: false,
    sizes: { exponent: 1.2, shift: 16 },
    sizeSeed: 367,
    degrees: { linking: 0.617, scale: 6.23, exponent: 1.571 },
    paper: {
      hashImbalancePercent: [11.69, 25.0, 40.58, 73.47, 142.86],
      hpImbalancePercent: [4.84, 4.29, 8.2, 9.54, 10.8],
      hashThousands: [5.3, 8.9, 12.8, 16.6, 19.9],
      hpThousands: [1.4, 1.9, 2.5, 3.1, 3.6],
      reduction: 4.9,
    },
  },
  {
    name: 'de-fr',
    countries: 2,
    pages: 8_212_782,
    sites: 38_741,
    links: 39_330_882,
    intraPercent: 75.06,
    nets: 2_091_986,
    pins: 4_968_036,
    knowsBytes: false,
    sizes: { exponent: 1, shift: 2 },
    sizeSeed: 1292,
    degrees: { linking: 0.656, scale: 4.98, exponent: 1.209 },
    paper: {
      hashImbalancePercent: [12.75, 34.51, 58.62, 81.95, 203.39],
      hpImbalancePercent: [5.0, 5.0, 5.0, 10.33, 91.61],
      hashThousands: [52.6, 86.8, 128.8, 177.8, 231.9],
      hpThousands: [9.5, 10.9, 10.7, 12.4, 14.1],
      reduction: 11.3,
    },
  },
  {
    name: 'indochina',
    countries: 5,
    pages: 7_414_866,
    sites: 18_984,
    links: 194_109_311,
    intraPercent: 92.8,
    nets: 250_931,
    pins: 799_783,
    knowsBytes: false,
    sizes: { exponent: 1, shift: 32 },
    sizeSeed: 4049,
    degrees: { linking: 0.433, scale: 5.289, exponent: 0.895 },
    paper: {
      hashImbalancePercent: [3.71, 9.91, 21.77, 41.97, 51.91],
      hpImbalancePercent: [5.0, 5.0, 5.0, 5.0, 8.62],
      hashThousands: [18.4, 33.7, 54.5, 80.0, 109.8],
      hpThousands: [4.1, 5.2, 6.4, 7.6, 8.1],
      reduction: 8.7,
    },
  },
]
