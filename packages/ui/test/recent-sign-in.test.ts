import { createTRPCClient, TRPCClientError, type TRPCLink } from '@trpc/client'
import type { AnyTRPCRouter } from '@trpc/server'
import { observable } from '@trpc/server/observable'
import { describe, expect, it } from 'vitest'
import { problemOf } from '../src/problem.ts'
import { createRecentSignIn } from '../src/recent-sign-in.ts'
import { type SignedIn, signInChannel, watchSignIn } from '../src/sign-in-watch.ts'
import { askForRecentSignIn, watchSignOut } from '../src/trpc-client.ts'

const rejection = (code: string) =>
  TRPCClientError.from({
    error: { code: -32_001, message: `about ${code}`, data: { code, httpStatus: 401 } },
  } as never)

/**
 * A client whose server answers the given outcomes one after the other: a code to reject with, or
 * null for done.
 */
function clientOf(outcomes: (string | null)[], link: TRPCLink<AnyTRPCRouter>) {
  const seen: unknown[] = []
  const server: TRPCLink<AnyTRPCRouter> =
    () =>
    ({ op }) =>
      observable((observer) => {
        seen.push(op.input)
        const code = outcomes.shift()
        if (code) observer.error(rejection(code) as never)
        else {
          observer.next({ result: { type: 'data', data: 'done' } })
          observer.complete()
        }
      })
  const client = createTRPCClient<AnyTRPCRouter>({
    links: [link, server],
  }) as unknown as {
    act: { mutate(input: unknown): Promise<unknown> }
  }
  return { client, seen }
}

describe('a call that needs a recent sign-in', () => {
  it('is made once more with the same input after the person has signed in again', async () => {
    const asked: string[] = []
    const { client, seen } = clientOf(
      ['recent_sign_in_required', null],
      askForRecentSignIn(async (message) => {
        asked.push(message)
        return true
      }),
    )
    expect(await client.act.mutate({ slug: 'acme' })).toBe('done')
    expect(seen).toEqual([{ slug: 'acme' }, { slug: 'acme' }])
    expect(asked).toEqual(['about recent_sign_in_required'])
  })

  it('is rejected when the person leaves it, and not made again', async () => {
    const { client, seen } = clientOf(
      ['recent_sign_in_required', null],
      askForRecentSignIn(async () => false),
    )
    const error = await client.act.mutate({}).catch((reason: unknown) => reason)
    expect(problemOf(error).code).toBe('recent_sign_in_required')
    expect(seen).toHaveLength(1)
  })

  it('that is rejected a second time is not asked about for ever', async () => {
    let asked = 0
    const { client, seen } = clientOf(
      ['recent_sign_in_required', 'recent_sign_in_required', null],
      askForRecentSignIn(async () => {
        asked++
        return true
      }),
    )
    const error = await client.act.mutate({}).catch((reason: unknown) => reason)
    expect(problemOf(error).code).toBe('recent_sign_in_required')
    expect({ asked, calls: seen.length }).toEqual({ asked: 1, calls: 2 })
  })

  it.each(['unauthenticated', 'not_admin', 'internal'])('is not what %s means', async (code) => {
    const { client, seen } = clientOf(
      [code, null],
      askForRecentSignIn(() => Promise.reject(new Error('must not be asked'))),
    )
    expect(problemOf(await client.act.mutate({}).catch((reason: unknown) => reason)).code).toBe(
      code,
    )
    expect(seen).toHaveLength(1)
  })
})

describe('a call whose session is over', () => {
  /** The calls' codes, and how often the page was told that nobody is signed in. */
  async function rejectionsOf(
    outcomes: (string | null)[],
    readSession: () => Promise<{ signedIn: boolean }>,
    calls = 1,
  ) {
    let signedOut = 0
    const { client, seen } = clientOf(
      outcomes,
      watchSignOut(() => signedOut++, readSession),
    )
    const codes = await Promise.all(
      Array.from({ length: calls }, () =>
        client.act.mutate({ slug: 'acme' }).catch((reason: unknown) => problemOf(reason).code),
      ),
    )
    return { codes, signedOut, seen }
  }

  it.each(['unauthenticated', 'token_expired'])(
    'by %s ends the page once for all',
    async (code) => {
      const { codes, signedOut } = await rejectionsOf(
        [code, code, code],
        async () => ({ signedIn: false }),
        3,
      )
      expect({ codes, signedOut }).toEqual({ codes: [code, code, code], signedOut: 1 })
    },
  )

  it('is made once more with the session that has replaced it', async () => {
    expect(await rejectionsOf(['unauthenticated', null], async () => ({ signedIn: true }))).toEqual(
      { codes: ['done'], signedOut: 0, seen: [{ slug: 'acme' }, { slug: 'acme' }] },
    )
  })

  it('that is rejected with the new session too ends the page', async () => {
    const { codes, signedOut, seen } = await rejectionsOf(
      ['unauthenticated', 'unauthenticated', null],
      async () => ({ signedIn: true }),
    )
    expect({ codes, signedOut }).toEqual({ codes: ['unauthenticated'], signedOut: 1 })
    expect(seen).toHaveLength(2)
  })

  it('ends the page also where the session cannot be read', async () => {
    const { codes, signedOut } = await rejectionsOf(['unauthenticated', null], () =>
      Promise.reject(new Error('away')),
    )
    expect({ codes, signedOut }).toEqual({ codes: ['unauthenticated'], signedOut: 1 })
  })

  it.each(['recent_sign_in_required', 'not_admin', 'internal'])(
    'is not what %s means',
    async (code) => {
      const { codes, signedOut } = await rejectionsOf([code, null], () =>
        Promise.reject(new Error('must not be read')),
      )
      expect({ codes, signedOut }).toEqual({ codes: [code], signedOut: 0 })
    },
  )
})

describe('the question', () => {
  it('is one for all calls that wait, and its answer is for all of them', async () => {
    const signIn = createRecentSignIn()
    let told = 0
    const stop = signIn.subscribe(() => told++)
    const responses = [signIn.ask('first'), signIn.ask('second')]
    expect(signIn.question()).toEqual({ message: 'first' })
    expect(told).toBe(1)
    signIn.complete(true)
    expect(await Promise.all(responses)).toEqual([true, true])
    expect(signIn.question()).toBeUndefined()
    const next = signIn.ask('third')
    expect(signIn.question()).toEqual({ message: 'third' })
    signIn.complete(false)
    expect(await next).toBe(false)
    stop()
    void signIn.ask('fourth')
    expect(told).toBe(4)
  })
})

describe('the watch', () => {
  const at = (minute: number, subject = 'anna'): SignedIn => ({
    signedIn: true,
    subject,
    signedInAt: `2026-01-01T10:0${minute}:00.000Z`,
  })
  const gone: SignedIn = { signedIn: false, subject: null, signedInAt: null }

  /** What it tells when the looks bring these, one after the other; the last one stays. */
  function outcomeOf(looks: (SignedIn | Error)[], everyMs = 5): Promise<string> {
    return new Promise((resolve) => {
      watchSignIn({
        everyMs,
        read: async () => {
          const meta = looks.length > 1 ? looks.shift() : looks[0]
          if (!meta || meta instanceof Error) throw meta ?? new Error('nothing')
          return meta
        },
        onRenewed: () => resolve('renewed'),
        onOther: () => resolve('other'),
      })
    })
  }

  it('tells of a newer sign-in of the same person', async () => {
    expect(await outcomeOf([at(0), at(0), at(1)])).toBe('renewed')
  })
  it('looks past a server that cannot be reached', async () => {
    expect(await outcomeOf([new Error('away'), at(0), new Error('away'), at(1)])).toBe('renewed')
  })
  it('tells of somebody else, whenever they signed in, and of nobody', async () => {
    expect(await outcomeOf([at(0), at(1, 'gero')])).toBe('other')
    expect(await outcomeOf([at(1), at(0, 'gero')])).toBe('other')
    expect(await outcomeOf([at(0), gone])).toBe('other')
    expect(await outcomeOf([gone])).toBe('other')
  })
  it('looks again when the session is over, which one that is replaced is for a moment', async () => {
    expect(await outcomeOf([at(0), gone, at(1)])).toBe('renewed')
    expect(await outcomeOf([at(0), gone, at(0), gone, at(1)])).toBe('renewed')
    expect(await outcomeOf([at(0), gone, gone, at(1)])).toBe('other')
  })
  it('looks at once when another window tells, and not before', async () => {
    const outcome = outcomeOf([at(0), at(1)], 60_000)
    let done = false
    void outcome.then(() => {
      done = true
    })
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(done).toBe(false)
    const channel = new BroadcastChannel(signInChannel)
    channel.postMessage('signed-in')
    expect(await outcome).toBe('renewed')
    channel.close()
  })
  it('tells nothing once it is stopped', async () => {
    let looks = 0
    const stop = watchSignIn({
      everyMs: 2,
      read: async () => (looks++ === 0 ? at(0) : at(1)),
      onRenewed: () => expect.unreachable(),
      onOther: () => expect.unreachable(),
    })
    stop()
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(looks).toBe(1)
  })
})
