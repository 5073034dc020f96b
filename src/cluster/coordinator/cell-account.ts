/**
 * Counts the cells that agents claimed and those that the coordinator granted; in the ledger, for the report.
 */
import type { AgentRow, Incarnation } from '../../ledger/index.js'

/** The setting with the counts. */
const CELL_ACCOUNT = 'routing.cells'

interface Written {
  readonly given: number
  /** By incarnations that have ended, and by each that has not. */
  readonly takenBefore: number
  readonly taken: readonly (readonly [incarnation: Incarnation, cells: number])[]
}

export interface CellCounts {
  readonly taken: number
  readonly given: number
}

const NOTHING: Written = { given: 0, takenBefore: 0, taken: [] }

/** Without the cells that an agent claimed after its last heartbeat. */
export function cellCounts(settings: Readonly<Record<string, string>>): CellCounts {
  const { given, takenBefore, taken } = readIn(settings)
  return { given, taken: takenBefore + taken.reduce((sum, [, cells]) => sum + cells, 0) }
}

function readIn({ [CELL_ACCOUNT]: text }: Readonly<Record<string, string>>): Written {
  return text === undefined ? NOTHING : (JSON.parse(text) as Written)
}

export class CellAccount {
  #given = 0
  #takenBefore = 0
  #taken = new Map<Incarnation, number>()
  #saved = ''

  /** Continues the counts of the previous coordinator. */
  restore(settings: Readonly<Record<string, string>>): void {
    const { given, takenBefore, taken } = readIn(settings)
    this.#given = given
    this.#takenBefore = takenBefore
    this.#taken = new Map(taken)
    this.#saved = this.#text()
  }

  granted(cells: number): void {
    this.#given += cells
  }

  /** How many cells an incarnation has claimed so far; a late report changes nothing. */
  claimed(incarnation: Incarnation, cells: number): void {
    if (cells > (this.#taken.get(incarnation) ?? 0)) this.#taken.set(incarnation, cells)
  }

  /** Closes the counts of incarnations that have ended. */
  look(rows: readonly AgentRow[]): void {
    const here = new Set(rows.map(({ incarnation }) => incarnation))
    for (const [incarnation, cells] of this.#taken) {
      if (here.has(incarnation)) continue
      this.#takenBefore += cells
      this.#taken.delete(incarnation)
    }
  }

  /** The setting to write; null if the counts have not changed since the last call. */
  takeChanged(): Readonly<Record<string, string>> | null {
    const text = this.#text()
    if (text === this.#saved) return null
    this.#saved = text
    return { [CELL_ACCOUNT]: text }
  }

  #text(): string {
    const taken = [...this.#taken]
    return JSON.stringify({ given: this.#given, takenBefore: this.#takenBefore, taken } satisfies Written)
  }
}
