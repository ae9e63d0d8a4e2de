import type { ImportRow } from '@atrium/core/members/member-import'
import type { TenantView } from '@atrium/core/tenants/tenants'
import { translations } from '@atrium/ui/messages'
import { Panel } from '@atrium/ui/panel'
import { useMutation } from '@atrium/ui/use-mutation'
import { Alert, Button, Code, CopyButton, Group, Progress, Stack, Text } from '@mantine/core'
import { IconAlertTriangle, IconCheck, IconCopy, IconDownload, IconKey } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTRPC } from '../trpc.ts'
import { type Result, runEach } from './bulk.ts'
import { saveText } from './csv-file.ts'
import classes from './members.module.css'
import { useMembersCache } from './mutations.ts'

const t = translations('portal.members')

interface Handed {
  email: string
  /** Null for people who had one already: theirs stays. Also for those who get a link by mail. */
  password: string | null
}

/** Creates first passwords for imported people without a known one, and shows them once. */
export function OneTimeSecret({
  tenant,
  rows,
}: {
  tenant: TenantView
  rows: readonly ImportRow[]
}) {
  const [results, setResults] = useState<readonly Result<ImportRow, Handed>[]>([])
  const [stage, setStage] = useState<'offered' | 'running' | 'ended'>('offered')
  const showOne = useShowOne(tenant.slug)
  const cache = useMembersCache(tenant.slug)
  const people = rows.filter(({ userId }) => userId !== null)
  if (people.length === 0) return null

  async function start() {
    setStage('running')
    await runEach(people, showOne, (result) => setResults((before) => [...before, result]))
    cache.forget()
    setStage('ended')
  }

  return (
    <Panel title={t('passwords.title')} description={t('passwords.description')}>
      {stage === 'offered' && (
        <Group>
          <Button leftSection={<IconKey size={17} aria-hidden />} onClick={() => void start()}>
            {t('passwords.make')}
          </Button>
        </Group>
      )}
      {stage === 'running' && (
        <Stack gap="xs">
          <Text size="sm" role="status">
            {t('passwords.progress', { done: results.length, all: people.length })}
          </Text>
          <Progress
            value={(results.length / people.length) * 100}
            aria-label={t('passwords.making')}
          />
        </Stack>
      )}
      {stage === 'ended' && <HandedOut slug={tenant.slug} results={results} />}
    </Panel>
  )
}

function HandedOut({
  slug,
  results,
}: {
  slug: string
  results: readonly Result<ImportRow, Handed>[]
}) {
  const made = results.flatMap(({ value }) =>
    value?.password ? [{ email: value.email, password: value.password }] : [],
  )
  const kept = results.filter(({ value }) => value?.password === null).length
  const failed = results.filter(({ problem }) => problem)
  const text = made.map(({ email, password }) => `${email}\t${password}`).join('\n')
  return (
    <Stack>
      {made.length > 0 && (
        <>
          <Alert color="yellow" icon={<IconAlertTriangle aria-hidden />}>
            {t('passwords.once')}
          </Alert>
          <ul className={classes.names} aria-label={t('passwords.title')}>
            {made.map(({ email, password }) => (
              <li key={email}>
                {email} <Code>{password}</Code>
              </li>
            ))}
          </ul>
          <Group gap="xs">
            <Button
              variant="default"
              leftSection={<IconDownload size={16} aria-hidden />}
              onClick={() => saveText(`${slug}-first-passwords.txt`, 'text/plain', `${text}\n`)}
            >
              {t('passwords.download')}
            </Button>
            <CopyButton value={text}>
              {({ copied, copy }) => (
                <Button
                  variant="default"
                  leftSection={
                    copied ? (
                      <IconCheck size={16} aria-hidden />
                    ) : (
                      <IconCopy size={16} aria-hidden />
                    )
                  }
                  onClick={copy}
                >
                  {t(copied ? 'passwords.copied' : 'passwords.copyAll')}
                </Button>
              )}
            </CopyButton>
          </Group>
        </>
      )}
      {kept > 0 && <Text size="sm">{t('passwords.kept', { count: kept })}</Text>}
      {failed.length > 0 && (
        <ul className={classes.names} aria-label={t('passwords.failed')}>
          {failed.map(({ item, problem }) => (
            <li key={item.line}>
              <strong>{item.email}</strong>: {problem?.message}
            </li>
          ))}
        </ul>
      )}
    </Stack>
  )
}

/**
 * Resets the password of one person who needs it. A person who got one since the import keeps it.
 */
function useShowOne(slug: string) {
  const trpc = useTRPC()
  const queryClient = useQueryClient()
  const reset = useMutation(trpc.members.resetPassword.mutationOptions({ gcTime: 0 }))
  return async ({ userId, email }: ImportRow): Promise<Handed> => {
    const path = { slug, userId: userId ?? '' }
    const member = await queryClient.fetchQuery(
      trpc.members.get.queryOptions(path, { staleTime: 0 }),
    )
    if (!member.needsPassword) return { email: member.email, password: null }
    const { oneTimePassword } = await reset.mutateAsync(path)
    return { email: member.email || email, password: oneTimePassword }
  }
}
