import { parentPort } from 'node:worker_threads'
import type { TemplateJob } from '../platform/templates.ts'
import { templateFaults } from './check.ts'
import { customPartMs, renderMessage } from './render.ts'
import type { TemplateReply } from './template-thread.ts'

/**
 * The thread that parses and renders people's templates. Reports that it is ready, then processes
 * jobs in order.
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
          : renderMessage(job.template, job.values, customPartMs),
    }
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) }
  }
}
