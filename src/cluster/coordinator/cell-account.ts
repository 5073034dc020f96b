/**
 * How many cells agents took themselves, and how many the coordinator gave them: kept in the ledger, for the
 * report.
 */
import type { AgentRow, Incarnation } from '../../ledger/index.js'

/** Setting: the account. */
const CELL_ACCOUNT = 'routing.cells'

interface Written {
  readonly given: number
  /** By agents that are gone, and by those that are here, life by incarnation. */
  readonly takenBefore: number
  readonly taken: readonly (readonly [incarnation: Incarnation, cells: number])[]
}

export interface CellCounts {
  readonly taken: number
  readonly given: number
}

const NOTHING: Written = { given: 0, takenBefore: 0, taken: [] }

/** What the ledger says; what an agent took after its last word is missing. */
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

  /** As the coordinator before had it. */
  restore(settings: Readonly<Record<string, string>>): void {
    const { given, takenBefore, taken } = readIn(settings)
    this.#given = given
    this.#takenBefore = takenBefore
    this.#taken = new Map(taken)
    this.#saved = this.#text()
  }

  gave(cells: number): void {
    this.#given += cells
  }

  /** What an agent says it has taken since it was born; an older word than the last changes nothing. */
  took(incarnation: Incarnation, cells: number): void {
    if (cells > (this.#taken.get(incarnation) ?? 0)) this.#taken.set(incarnation, cells)
  }

  /** Who is no longer here says nothing more. */
  look(rows: readonly AgentRow[]): void {
    const here = new Set(rows.map(({ incarnation }) => incarnation))
    for (const [incarnation, cells] of this.#taken) {
      if (here.has(incarnation)) continue
      this.#takenBefore += cells
      this.#taken.delete(incarnation)
    }
  }

  /** Null when it was last asked for as it is now. */
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
