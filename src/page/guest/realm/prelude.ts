/**
 * Runs inside the virtual machine before the guest, and keeps the built-in functions that it needs, so that
 * whatever the guest does to prototypes changes nothing here. Everything that crosses the border is a string:
 * JSON that this code writes within its bound, so that the guest's objects (proxies, getters, `toJSON`) are
 * only ever touched inside, under the limits of the machine.
 */

/** What the last expression of the prelude returns: a function that makes the entry point of a guest. */
export const PRELUDE = `(host, mostChars) => {
  const { parse, stringify } = JSON
  const { String, TypeError, RangeError } = globalThis
  const { apply } = Reflect
  const { create, defineProperty, freeze } = Object
  const silent = () => {}
  globalThis.console = { log: silent, info: silent, warn: silent, error: silent, debug: silent }

  const own = (target, name, value) =>
    defineProperty(target, name, { value, enumerable: true, writable: true, configurable: true })
  const lazy = (target, name, get) => defineProperty(target, name, { get, enumerable: true, configurable: true })

  const elements = (scope, selector) => {
    const found = parse(host('find', stringify([scope, String(selector)])))
    const list = []
    for (let i = 0; i < found.length; i++) {
      const [number, tag] = found[i]
      const element = { tag }
      lazy(element, 'text', () => host('text', stringify([number])))
      lazy(element, 'html', () => host('html', stringify([number])))
      own(element, 'attribute', name => {
        const value = parse(host('attribute', stringify([number, String(name)])))
        return value === null ? undefined : value
      })
      own(element, 'find', inner => elements(number, inner))
      own(list, i, element)
    }
    return list
  }

  const bounded = (value, what) => {
    const text = stringify(value)
    if (text === undefined) return 'null'
    if (text.length > mostChars) throw own(new RangeError(what + ' is longer than ' + mostChars), 'tooLong', true)
    return text
  }

  let guest = null
  const FUNCTIONS = ['select', 'filter', 'extract', 'accept', 'score', 'save', 'load']
  const call = (name, args) => apply(guest[name], guest, args)

  const open = exports => {
    const main = exports.default
    guest = typeof main === 'object' && main !== null ? main : exports
    const functions = create(null)
    for (let i = 0; i < FUNCTIONS.length; i++) {
      const value = guest[FUNCTIONS[i]]
      if (value !== undefined) functions[FUNCTIONS[i]] = typeof value
    }
    return bounded({ functions, name: guest.name, schema: guest.schema }, 'schema')
  }

  const read = (step, head, text, html) => {
    const { facts, links, wants } = parse(head)
    const page = facts
    own(page, 'links', links)
    own(page, 'text', text)
    own(page, 'html', html)
    own(page, 'find', selector => elements(0, selector))
    let part = null
    if (wants.filter) {
      step('filter')
      part = call('filter', [page])
      if (typeof part === 'string' && part.length > mostChars)
        throw own(new RangeError('filter returned ' + part.length + ' characters'), 'tooLong', true)
    }
    let rows = null
    if (wants.extract) {
      step('extract')
      rows = call('extract', [page])
    }
    return '{"part":' + bounded(part, 'the part') + ',"rows":' + bounded(rows, 'the list of rows') + '}'
  }

  const rate = (step, json) => {
    const urls = parse(json)
    const list = []
    for (let i = 0; i < urls.length; i++) {
      let rating
      try {
        step('accept')
        const accepted = guest.accept === undefined || !!call('accept', [urls[i]])
        step('score')
        rating = { accepted, score: accepted && guest.score !== undefined ? call('score', [urls[i]]) : 0 }
        if (typeof rating.score !== 'number') rating.score = String(rating.score)
      } catch (error) {
        rating = failure(error)
      }
      own(list, i, rating)
    }
    return bounded(list, 'the list of ratings')
  }

  let at = ''
  const step = name => { at = name }
  const failure = error => {
    let text = 'an exception'
    let stack = ''
    let tooLong = false
    try {
      text = String(error)
      if (typeof error === 'object' && error !== null) {
        tooLong = error.tooLong === true
        stack = String(error.stack)
      }
    } catch {}
    const place = at === '' ? '' : at + ': '
    return { failed: tooLong ? 'output' : 'threw', detail: place + text.slice(0, 1000), stack: stack.slice(0, 4000) }
  }

  const perform = (task, first, second, third) => {
    switch (task) {
      case 'open': return open(first)
      case 'load': step('load'); call('load', [parse(first)]); return 'null'
      case 'select': step('select'); return bounded(call('select', [parse(first)]), 'the verdict')
      case 'read': return read(step, first, second, third)
      case 'rate': return rate(step, first)
      case 'save': step('save'); return guest.save === undefined ? 'null' : bounded(call('save', []), 'what save returned')
    }
  }

  return (task, first, second, third) => {
    at = ''
    try {
      return '{"ok":true,"value":' + perform(task, first, second, third) + '}'
    } catch (error) {
      return stringify(failure(error))
    }
  }
}`

/** What a guest can import. */
export const LIBRARY = 'export const defineGuest = guest => guest'
