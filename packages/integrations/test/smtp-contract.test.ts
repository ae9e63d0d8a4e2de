import { type Sandbox, startSandbox } from '@atrium/sandbox/start'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { smtp } from '../src/mailer/smtp.ts'

let sandbox: Sandbox

beforeAll(async () => {
  sandbox = await startSandbox()
})
afterAll(() => sandbox.close())
beforeEach(() => sandbox.reset())

const mail = {
  from: 'Atrium <no-reply@atrium.test>',
  to: '"Berg, Anna" <anna@acme.test>',
  subject: 'Grüße aus dem Büro 👋',
  text: 'Hello',
  html: '<p>Hello</p>',
  messageId: '<booking-1@atrium.test>',
}

describe('mailer contract: the local stand-in', () => {
  it('delivers a message as it was written', async () => {
    const mailer = smtp({ url: sandbox.smtpUrl })
    await mailer.check()
    expect(await mailer.send(mail)).toEqual({ messageId: '<booking-1@atrium.test>' })
    const messages = await (await fetch(`${sandbox.smtpPageUrl}/messages`)).text()
    expect(messages).toContain('Grüße aus dem Büro 👋')
    expect(messages).toContain('anna@acme.test')
  })

  it('reports a server that fails', async () => {
    sandbox.fault({ system: 'smtp', mode: 'reset' })
    await expect(smtp({ url: sandbox.smtpUrl }).send(mail)).rejects.toMatchObject({
      system: 'smtp',
      kind: 'connection',
    })
  })
})
