import { RobotsRules } from '../../src/page/robots/index.js'

/** A robots.txt as one crawler reads it. */
export const parse = (text: string, token = 'orbweaver'): RobotsRules =>
  RobotsRules.parse(new TextEncoder().encode(text), token)

export const allows = (text: string, path: string, token = 'orbweaver'): boolean =>
  parse(text, token).allows(`https://example.org${path}`).allowed
