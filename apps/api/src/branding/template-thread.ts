import { Worker } from 'node:worker_threads'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError, type IssueText } from '@atrium/core/platform/errors'
import type { KeyedLimiter } from '../platform/keyed-limiter.ts'
import type { Logger } from '../platform/log.ts'
import type { MessageText, TemplateJob, Templates } from '../platform/templates.ts'

export type TemplateReply = { result: IssueText[] | MessageText } | { error: string }

/** A template used up its time, or the memory of the thread. */
export class TemplateTooSlow extends Error {
  override readonly name = 'TemplateTooSlow'
  constructor() {
    super('a template used up its time or memory')
  }
}

/** Jobs of one tenant that may wait in a process. */
const mostWaiting = 50

export function createTemplates({
  log,
  keyedLimiter,
  limitMs = 1_000,
}: {
  log: Logger
  keyedLimiter: KeyedLimiter
  limitMs?: number
}): Templates {
  let thread: Promise<Worker> | undefined

  async function run(tenantId: string, job: TemplateJob): Promise<IssueText[] | MessageText> {
    const key = `templates of ${tenantId}`
    if (job.kind === 'check' && keyedLimiter.waiting(key) >= mostWaiting)
      throw new AppError('rate_limited', errorText('tooManyPreviews'), {
        retryAfterSeconds: 5,
      })
    const response = await keyedLimiter.take(key, () =>
      keyedLimiter.take('templates', () => ask(job)),
    )
    if ('error' in response) throw new Error(response.error)
    return response.result
  }

  /** The thread; a new one where the last one ended. */
  function current(): Promise<Worker> {
    if (thread) return thread
    const started = startThread()
    const forget = () => {
      if (thread === started) thread = undefined
    }
    started.then((worker) => worker.once('exit', forget), forget)
    thread = started
    return started
  }

  async function ask(job: TemplateJob): Promise<TemplateReply> {
    const worker = await current()
    try {
      return await replyOf(worker, job, limitMs)
    } catch (err) {
      await worker.terminate()
      log.warn(
        { err, template: job.kind === 'check' ? job.key : undefined },
        'template worker thread ended',
      )
      throw err
    }
  }

  return {
    async check(tenantId, job) {
      try {
        return (await run(tenantId, { kind: 'check', ...job })) as IssueText[]
      } catch (error) {
        if (error instanceof TemplateTooSlow)
          return [{ path: job.path, message: errorText('templateTooExpensive') }]
        throw error
      }
    },
    render: (tenantId, job) => run(tenantId, { kind: 'render', ...job }) as Promise<MessageText>,
    async stop() {
      const worker = await thread?.catch(() => undefined)
      thread = undefined
      await worker?.terminate()
    },
  }
}

/** The build puts it beside the service's own file. */
const file = new URL(
  import.meta.url.endsWith('.ts') ? './template-worker.ts' : './template-worker.js',
  import.meta.url,
)

/** Loading takes longer than any job may, so a job's time begins when the thread is ready. */
function startThread(): Promise<Worker> {
  // A template holds at most a few megabytes; what grows beyond that ends the thread and not the
  // process.
  const worker = new Worker(file, { resourceLimits: { maxOldGenerationSizeMb: 64 } })
  worker.unref()
  // Without a listener, an error between two jobs would end the process.
  worker.on('error', () => undefined)
  return new Promise((ready, failed) => {
    worker.once('message', () => {
      worker.off('error', failed)
      ready(worker)
    })
    worker.once('error', failed)
  })
}

function replyOf(worker: Worker, job: TemplateJob, limitMs: number): Promise<TemplateReply> {
  return new Promise((done, failed) => {
    const timer = setTimeout(() => end(() => failed(new TemplateTooSlow())), limitMs)
    const answered = (response: TemplateReply) => end(() => done(response))
    const broken = (error: Error) =>
      end(() => failed(isOutOfMemory(error) ? new TemplateTooSlow() : error))
    const exited = () => broken(new Error('the thread of templates ended'))
    function end(settle: () => void): void {
      clearTimeout(timer)
      worker.off('message', answered).off('error', broken).off('exit', exited)
      settle()
    }
    worker.once('message', answered).once('error', broken).once('exit', exited)
    worker.postMessage(job)
  })
}

const isOutOfMemory = (error: Error) => 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY'
