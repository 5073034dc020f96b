/**
 * cli/guest/: `orbweaver guest try`. In: a guest module and some pages. Out: verdict, kept part and rows of
 * each. Always: nothing is stored.
 */
export { guestCommand } from './guest.js'
