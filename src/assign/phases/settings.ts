export { checkPhaseWord, readPhaseWords } from '../../config/phase-settings.js' // MOVED
