export { checkGraphWord, type GraphSettings, readGraphWords } from '../config/graph-settings.js' // MOVED
