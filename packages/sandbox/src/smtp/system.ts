import { honoListener, type SocketSystem, type SystemContext } from '../system.ts'
import { createSmtpApp } from './app.ts'
import { createCatcher } from './catcher.ts'
import { createMessages, type Messages } from './messages.ts'

export interface SmtpOptions {
  /** How many messages are kept; 200 when absent. */
  readonly keep?: number
}

export interface SmtpSystem extends SocketSystem {
  readonly name: 'smtp'
  readonly messages: Messages
}

/** Catches all mail of the local workplace and shows it on a page. */
export function createSmtp(context: SystemContext, { keep = 200 }: SmtpOptions = {}): SmtpSystem {
  const messages = createMessages(keep)
  const catcher = createCatcher(context, messages)
  return {
    name: 'smtp',
    messages,
    listener: honoListener(createSmtpApp(messages, context.changed)),
    listen: (port, host) => catcher.listen(port, host),
    close: () => catcher.close(),
    state: () => ({ messages: messages.list() }),
    save: () => messages.save(),
    load: (saved) => messages.load(saved),
    reset: () => messages.clear(),
    errorResponse: (status) => ({
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ error: `status ${status}` }),
    }),
  }
}
