/**
 * cli/web/: `orbweaver web`. In: flags. Out: a generated web, or a stored crawl, on loopback, or lists of its
 * URLs. Always: nothing is served beyond loopback.
 */
export { webCommand } from './web.js'
