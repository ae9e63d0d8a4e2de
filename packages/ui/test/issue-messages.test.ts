import { expect, it, vi } from 'vitest'
import { z } from 'zod'

it('lets values be checked before the sentences are loaded', async () => {
  vi.resetModules()
  await import('../src/issue-messages.ts')
  const messages = await import('../src/messages.ts')
  const check = () => z.string().min(3).safeParse('a').error?.issues[0]?.message
  expect(messages.hasMessages('ui.issues')).toBe(false)
  expect(check()).toBe('')
  messages.addMessages('ui.issues', { charactersAtLeast: 'At least {count}.' })
  expect(check()).toBe('At least 3.')
})
