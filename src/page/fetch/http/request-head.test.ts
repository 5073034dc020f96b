import { expect, test } from 'vitest'
import { RequestHeads } from './request-head.js'

const known = { etag: '', lastModified: '', digest: '', storedAt: '', links: [] }

test.each(['Host', 'cookie', 'Authorization', 'Content-Length', 'Connection', 'bad name', 'a:b', ''])(
  'the header %j is not the user’s to set',
  name => {
    expect(() => new RequestHeads('test/1', { [name]: 'x' })).toThrow(TypeError)
  },
)

test.each(['a\r\nX: y', 'a\nb', 'a\0', 'snowman ☃'])('the value %j cannot be sent', value => {
  expect(() => new RequestHeads(value)).toThrow(TypeError)
  expect(() => new RequestHeads('test/1', { 'X-A': value })).toThrow(TypeError)
})

test('the user’s Accept replaces ours', () => {
  const head = new RequestHeads('test/1', { accept: 'text/plain' }).build('http://a.example/', undefined)
  expect(head.toString().match(/accept:/gi)).toHaveLength(1)
  expect(head.toString()).toContain('accept: text/plain\r\n')
})

test('the host header has the port only where it is not the default', () => {
  const heads = new RequestHeads('test/1')
  expect(heads.build('https://a.example/', undefined).toString()).toContain('\r\nHost: a.example\r\n')
  expect(heads.build('http://[::1]:8080/x', undefined).toString()).toContain('\r\nHost: [::1]:8080\r\n')
})

test('validators that a server made up to break a line are not sent back', () => {
  const heads = new RequestHeads('test/1')
  const head = heads
    .build('http://a.example/', { ...known, etag: '"x"\r\nX: y', lastModified: 'a\rb' })
    .toString()
  expect(head).not.toContain('If-')
  expect(head.endsWith('\r\n\r\n')).toBe(true)
})
