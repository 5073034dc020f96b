/** Servers that take their time: every wait has an end, and nobody else waits with us. */
import { expect } from 'vitest'
import { describeFamily } from './family.js'

const EVERY_MS = 100

describeFamily(
  'a server that is slow on purpose',
  [
    {
      does: 'accepts and stays silent',
      misbehave: () => {},
      outcome: 'HEADERS_TOO_SLOW',
      archived: false,
    },
    {
      does: 'sends its headers byte by byte',
      misbehave: async talk => {
        talk.say('HTTP/1.1 200 OK\r\nX-Slow: ')
        await talk.dribble('x', EVERY_MS)
      },
      outcome: 'HEADERS_TOO_SLOW',
      archived: false,
    },
    {
      does: 'sends one interim response after the other',
      misbehave: async talk => {
        talk.say('HTTP/1.1 103 Early Hints\r\n\r\n')
        await talk.goodIsDone
        await talk.dribble('HTTP/1.1 103 Early Hints\r\n\r\n', EVERY_MS)
      },
      outcome: 'BAD_RESPONSE',
      archived: false,
    },
    {
      does: 'hangs after its headers',
      misbehave: talk => void talk.say('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n'),
      outcome: 'BODY_TOO_SLOW',
      truncated: 'time',
    },
    {
      does: 'dribbles a body of known length',
      misbehave: async talk => {
        talk.say(
          'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 1000000\r\n\r\n<title>slow</title>',
        )
        await talk.dribble('x', EVERY_MS)
      },
      outcome: 'BODY_TOO_SLOW',
      truncated: 'time',
      row: (_row, _crawled, archived) => expect(archived?.payloadBytes).toBeGreaterThan(19),
    },
    {
      does: 'dribbles chunks',
      misbehave: async talk => {
        talk.say('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n')
        await talk.dribble('1\r\nx\r\n', EVERY_MS)
      },
      outcome: 'BODY_TOO_SLOW',
      truncated: 'time',
      row: (_row, _crawled, archived) => expect(archived?.payloadBytes).toBeGreaterThan(0),
    },
    {
      does: 'dribbles a chunk size that never ends',
      misbehave: async talk => {
        talk.say('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n')
        await talk.dribble('0', EVERY_MS)
      },
      outcome: 'BODY_TOO_SLOW',
      truncated: 'time',
    },
    {
      does: 'dribbles trailers',
      misbehave: async talk => {
        talk.say('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n')
        await talk.dribble('X-Trailer: x\r\n', EVERY_MS)
      },
      outcome: 'BODY_TOO_SLOW',
      truncated: 'time',
    },
    {
      does: 'dribbles until close and does not close',
      misbehave: async talk => {
        talk.say('HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n')
        await talk.dribble('x', EVERY_MS)
      },
      outcome: 'BODY_TOO_SLOW',
      truncated: 'time',
    },
  ],
  { deadlineSeconds: 8 },
)
