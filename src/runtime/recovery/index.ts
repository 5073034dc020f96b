/**
 * runtime/recovery/: what a run does about the files of earlier ones. In: a directory and its ledger. Out:
 * files that end where the ledger says. Always: nothing acknowledged is removed, and nothing is changed where
 * the two do not belong together.
 */
export { checkCommitted, checkForResume, checkRelation } from './check-resume.js'
export { FileRecovery } from './file-recovery.js'
export { quarantineUnlisted } from './quarantine.js'
export {
  checkLedgerFile,
  type RecoverySummary,
  recoverIncarnation,
  refuseDamagedFiles,
  removeStrayTables,
} from './recovery.js'
