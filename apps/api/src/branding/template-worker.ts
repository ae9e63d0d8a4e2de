import { parentPort } from 'node:worker_threads'
import type { TemplateJob } from '../platform/templates.ts'
import { templateFaults } from './check.ts'
import { renderMessage } from './render.ts'
import type { TemplateReply } from './template-thread.ts'

/**
 * The thread that people's templates are parsed and rendered in. Says that it is ready, then
 * answers each job in its order.
 */
parentPort?.on('message', (job: TemplateJob) => {
  parentPort?.postMessage(replyTo(job))
})
parentPort?.postMessage('ready')

function replyTo(job: TemplateJob): TemplateReply {
  try {
    return {
      result:
        job.kind === 'check'
          ? templateFaults(job.key, job.template, job.path)
          : renderMessage(job.template, job.values),
    }
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) }
  }
}
