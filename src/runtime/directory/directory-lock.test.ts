import { mkdirSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { LedgerError } from '../../ledger/index.js'
import { DirectoryLock } from './directory-lock.js'

const temporary = () => mkdtempSync(join(tmpdir(), 'orbweaver-lock-'))

it('is held by one at a time', () => {
  const directory = temporary()
  const first = DirectoryLock.take(directory)
  expect(DirectoryLock.take(directory)).toBeNull()
  first!.release()
  const second = DirectoryLock.take(directory)
  expect(second).not.toBeNull()
  second!.release()
})

it('says in one line that a directory cannot be written', () => {
  const directory = temporary()
  // Nobody, not even root, opens a folder for writing.
  mkdirSync(join(directory, 'lock'))
  expect(() => DirectoryLock.take(directory)).toThrow(LedgerError)
  expect(() => DirectoryLock.take(directory)).toThrow(/cannot be written; check its permissions$/)
})
