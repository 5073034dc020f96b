/**
 * cli/output/: what commands print. In: reports, figures, progress. Out: lines for people, JSON for programs.
 * Always: nothing that is printed can control the terminal.
 */

export { SHOWN_SITES } from '../limits.js'
export { agentLines, agentStates, waitingOf } from './agent-lines.js'
export { metricLines } from './metric-lines.js'
export { print, printJson, sendPieces, tell } from './output.js'
export { checkedText, partitionedText } from './partition-summary.js'
export { ProgressDisplay } from './progress.js'
export { SimulationDisplay } from './simulate-progress.js'
export { asideLines, duration, size, summaryOf } from './summary.js'
