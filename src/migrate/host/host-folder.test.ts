/** What a host keeps on disk: policy, accepted ids, audit log. */
import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { newKeyPair } from '../bundle/index.js'
import { type AuditEntry, AuditLog, readAudit } from './audit-log.js'
import { allowHome, initHost, openHost } from './policy.js'
import { ReplayGuard } from './replay-guard.js'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'orbweaver-host-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const { publicKey: HOME } = newKeyPair()

describe('the policy of a host', () => {
  it('allows nobody at first; then whom the owner names, with limits', () => {
    const key = initHost(folder, 'n', 'c')
    const { keys, policy } = openHost(folder)
    expect(keys.publicKey).toBe(key)
    expect(policy()).toEqual({ name: 'n', contact: 'c', homes: [] })
    allowHome(folder, HOME, { name: 'library', maxPages: 10 })
    allowHome(folder, HOME, { delayMs: 50 })
    const home = { key: HOME, name: 'library', maxPages: 10, delayMs: 50 }
    expect(policy().homes).toEqual([expect.objectContaining(home)])
  })

  it('is not overwritten by a second init, and its key is for its owner only', () => {
    initHost(folder, 'n', 'c')
    expect(() => initHost(folder, 'n', 'c')).toThrow('already')
    expect(statSync(join(folder, 'host.key')).mode & 0o777).toBe(0o600)
  })

  it.each([
    ['no JSON', 'cannot be read'],
    ['{"name":"n","contact":"c"}', 'its field homes'],
    ['{"name":"n","contact":"c","homes":[{"key":"x"}]}', 'its field homes'],
    ['{"name":"n","contact":"c","homes":[],"allow":"*"}', 'a field "allow"'],
  ])('%s is refused with the reason', (text, why) => {
    initHost(folder, 'n', 'c')
    writeFileSync(join(folder, 'policy.json'), text)
    expect(() => openHost(folder).policy()).toThrow(why)
  })

  it('and its key are missed', () => {
    expect(() => openHost(folder)).toThrow('orbweaver host init')
    initHost(folder, 'n', 'c')
    writeFileSync(join(folder, 'host.key'), 'x')
    expect(() => openHost(folder)).toThrow('not an Ed25519 key')
    expect(() => allowHome(folder, 'x', {})).toThrow()
  })
})

describe('a bundle is accepted once', () => {
  const id = (number: number) => number.toString(16).padStart(32, '0')

  it('also by a host that was started again, and by two on one folder', () => {
    expect(new ReplayGuard(folder).accept(id(1), 100, 1)).toBe('new')
    expect(new ReplayGuard(folder).accept(id(1), 100, 1)).toBe('known')
    // Not even with another expiry.
    expect(new ReplayGuard(folder).accept(id(1), 101, 1)).toBe('known')
  })

  it('and forgotten only when it has expired', () => {
    const guard = new ReplayGuard(folder)
    guard.accept(id(1), 100, 1)
    guard.accept(id(2), 200, 1)
    guard.accept(id(3), 300, 150)
    expect(guard.accept(id(1), 300, 150)).toBe('new')
    expect(guard.accept(id(2), 300, 150)).toBe('known')
  })

  it('and others are refused while too many have not expired', () => {
    const guard = new ReplayGuard(folder, 2)
    guard.accept(id(1), 500, 1)
    guard.accept(id(2), 600, 1)
    expect(guard.accept(id(3), 600, 1)).toBe('full')
    expect(guard.accept(id(3), 600, 500)).toBe('new')
  })
})

describe('the audit log', () => {
  const path = () => join(folder, 'audit.jsonl')
  const entry = (detail: string): AuditEntry => ({
    at: '2026-01-02T00:00:00.000Z',
    event: 'refused',
    home: HOME,
    bundle: '',
    site: '',
    sha256: '',
    pages: 0,
    kept: 0,
    bytes: 0,
    detail,
  })

  it('has a line for each entry, also after the host was started again', () => {
    new AuditLog(path()).write(entry('one'))
    const log = new AuditLog(path())
    log.write(entry('two'))
    log.write(entry('three'))
    expect(readAudit(path())).toEqual({ entries: ['one', 'two', 'three'].map(entry), problems: [] })
  })

  it('names a line that was altered or removed', () => {
    const log = new AuditLog(path())
    for (const detail of ['one', 'two', 'three', 'four']) log.write(entry(detail))
    const lines = readFileSync(path(), 'utf8').split('\n')
    writeFileSync(path(), lines.with(1, lines[1]!.replace('two', 'new')).join('\n'))
    expect(readAudit(path()).problems).toEqual(['line 3 does not follow from the line before it'])
    writeFileSync(path(), lines.toSpliced(1, 1).join('\n'))
    expect(readAudit(path()).problems).toEqual(['line 2 does not follow from the line before it'])
  })

  it('goes on after a line that a crash has cut, and names it', () => {
    new AuditLog(path()).write(entry('one'))
    appendFileSync(path(), '{"at":"2026')
    new AuditLog(path()).write(entry('two'))
    const { entries, problems } = readAudit(path())
    expect(entries.map(({ detail }) => detail)).toEqual(['one', 'two'])
    expect(problems).toEqual(['line 2 cannot be read'])
  })

  it('may be absent', () => expect(readAudit(path())).toEqual({ entries: [], problems: [] }))
})
