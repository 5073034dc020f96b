/** Entry of the thread of an agent. */
import { runAgentThread } from './run-agent-thread.js'

void runAgentThread()
