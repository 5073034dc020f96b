import { expect, it } from 'vitest'
import { srcsetUrls } from './srcset.js'

it.each([
  ['a', ['a']],
  ['a 1x, b 2x', ['a', 'b']],
  [' a,b 1x ,, c ', ['a,b', 'c']],
  ['a, b', ['a', 'b']],
  ['a,, b', ['a', 'b']],
  ['a 100w (x, y), b', ['a', 'b']],
  ['data:image/png;base64,xx= 1x, b', ['data:image/png;base64,xx=', 'b']],
  ['', []],
  [' , ', []],
])('the URLs of %j', (srcset, urls) => expect([...srcsetUrls(srcset)]).toEqual(urls))
