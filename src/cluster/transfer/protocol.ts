/** The protocol of the channel: paths, headers and answers. */

import type { StoredFile } from '../../data/store/index.js'
import type { Incarnation } from '../../ledger/index.js'
import type { CellId } from '../../model/index.js'

/** Rises with every pack of an incarnation; the same number means the same bytes. */
export type UploadNumber = number

export const HEADERS = {
  /** The position of the first byte that is sent. */
  offset: 'x-orbweaver-offset',
  total: 'x-orbweaver-total',
  digest: 'x-orbweaver-digest',
  /** The last upload of this incarnation that the ledger has committed. */
  committed: 'x-orbweaver-committed',
} as const

export type UploadAnswer =
  /** Stored: the files and their lengths. */
  | { readonly files: readonly StoredFile[] }
  /** This many bytes have arrived; send the rest. */
  | { readonly received: number }
  /** The disk refused the pack; nothing of it was kept. */
  | { readonly refused: { readonly code: 'DISK_FULL' | 'DISK_FAILED'; readonly detail: string } }
  /** Try again later. */
  | { readonly later: string }
  /** Never: the ledger has no such open incarnation. */
  | { readonly over: string }

export const uploadPath = (incarnation: Incarnation, number: UploadNumber) =>
  `/packs/${incarnation}/${number}`
export const endPath = (incarnation: Incarnation, how: 'close' | 'abandon') => `/lives/${incarnation}/${how}`
export const journalPath = (cell: CellId, from: number, maxBytes: number) =>
  `/journals/${encodeURIComponent(cell)}?from=${from}&bytes=${maxBytes}`
/** The routing table in force. */
export const ROUTING_PATH = '/routing'
