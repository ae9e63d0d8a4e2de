import { LinkButton } from '@atrium/ui/links'
import { translations } from '@atrium/ui/messages'
import { PageHeader } from '@atrium/ui/page-header'
import { problemOf } from '@atrium/ui/problem'
import { signInAddress } from '@atrium/ui/trpc-client'
import { Button, Group, List, Text } from '@mantine/core'
import * as links from '../links.ts'
import type { ShutOutCode } from '../tenants/problems.ts'

const t = translations('portal.tenant-notices')

interface Props {
  code: ShutOutCode
  error: unknown
  onRetry: () => void
  retrying: boolean
}

/** In place of every page of a workplace whose security policy shuts the person out. */
export default function ShutOut({ code, error, onRetry, retrying }: Props) {
  const signIn = code === 'mfa_required' || code === 'sign_in_too_old'
  return (
    <>
      <PageHeader title={t(`shutOut.${code}`)} />
      <Text mb="lg" maw="60ch">
        {problemOf(error).message}
      </Text>
      {code === 'mfa_required' && (
        <List type="ordered" mb="lg" spacing="xs" maw="60ch">
          <List.Item>{t('shutOut.steps.enrol')}</List.Item>
          <List.Item>{t('shutOut.steps.signIn')}</List.Item>
        </List>
      )}
      <Group gap="sm">
        {code === 'mfa_required' && (
          <Button component="a" href={secondFactorPath} target="_blank" rel="noreferrer">
            {t('shutOut.enrol')}
          </Button>
        )}
        {signIn ? (
          <Button
            component="a"
            href={`${signInAddress()}&recent=1`}
            variant={code === 'mfa_required' ? 'default' : 'filled'}
          >
            {t('shutOut.signIn')}
          </Button>
        ) : (
          <Button onClick={onRetry} loading={retrying}>
            {t('shutOut.retry')}
          </Button>
        )}
        <LinkButton {...links.home} variant="subtle">
          {t('shutOut.home')}
        </LinkButton>
      </Group>
    </>
  )
}

/** Leads to the identity provider's own page for second factors. */
export const secondFactorPath = '/auth/second-factor'
