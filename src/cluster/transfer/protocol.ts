/** What both ends of the channel say: paths, headers and answers. */

import type { StoredFile } from '../../data/store/index.js'
import type { Incarnation } from '../../ledger/index.js'
import type { CellId } from '../../model/index.js'

/** One upload of an incarnation: rises with every pack; the same number is the same bytes. */
export type UploadNumber = number

export const HEADERS = {
  /** Where the bytes that are sent begin. */
  offset: 'x-orbweaver-offset',
  total: 'x-orbweaver-total',
  digest: 'x-orbweaver-digest',
  /** The last upload of this incarnation that the ledger has committed. */
  committed: 'x-orbweaver-committed',
} as const

export type UploadAnswer =
  /** Stored: these files, so long. */
  | { readonly files: readonly StoredFile[] }
  /** So many bytes of it are here; send those behind them. */
  | { readonly received: number }
  /** The disk refused it; nothing of it is left. */
  | { readonly refused: { readonly code: 'DISK_FULL' | 'DISK_FAILED'; readonly detail: string } }
  /** Not now. */
  | { readonly later: string }
  /** Never: the ledger has no such life that is open. */
  | { readonly over: string }

export const uploadPath = (incarnation: Incarnation, number: UploadNumber) =>
  `/packs/${incarnation}/${number}`
export const endPath = (incarnation: Incarnation, how: 'close' | 'abandon') => `/lives/${incarnation}/${how}`
export const journalPath = (cell: CellId, from: number, maxBytes: number) =>
  `/journals/${encodeURIComponent(cell)}?from=${from}&bytes=${maxBytes}`
/** The routing table that is in force. */
export const ROUTING_PATH = '/routing'
