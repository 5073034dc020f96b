/**
 * page/source/warc/: WARC files -> records -> pages. In: files of ours and of other crawlers, compressed or
 * not. Out: records by place or in order, and the response inside each. Always: memory is bounded, whatever
 * the file says of its lengths.
 */
export {
  type ArchivedResponse,
  archivedHead,
  archivedPayload,
  holdsPage,
  isOfFile,
  payloadOf,
  responseOf,
} from './archived-response.js'
export { firstMember } from './warc-members.js'
export {
  parseRecord,
  type RecordResult,
  type RecordStart,
  type SoundRecord,
  WarcReader,
  type WarcRecord,
} from './warc-reader.js'
