import { LinkButton } from '@atrium/ui/links'
import { translations } from '@atrium/ui/messages'
import { PageHeader } from '@atrium/ui/page-header'
import { problemOf } from '@atrium/ui/problem'
import { signInAddress } from '@atrium/ui/trpc-client'
import { Button, Group, List, Text } from '@mantine/core'
import * as links from '../links.ts'

const t = translations('portal.layout')

const codes = [
  'mfa_required',
  'sign_in_too_old',
  'network_not_allowed',
  'country_not_allowed',
] as const
type Code = (typeof codes)[number]

/** Why a workplace's security policy shuts the person out; undefined for any other failure. */
export function shutOutCode(error: unknown): Code | undefined {
  if (!error) return undefined
  const { code } = problemOf(error)
  return codes.find((each) => each === code)
}

interface Props {
  code: Code
  error: unknown
  onRetry: () => void
  retrying: boolean
}

/** In place of every page of a workplace whose security policy shuts the person out. */
export function ShutOut({ code, error, onRetry, retrying }: Props) {
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
          {t('tenant.goHome')}
        </LinkButton>
      </Group>
    </>
  )
}

/** Leads to the identity provider's own page for second factors. */
export const secondFactorPath = '/auth/second-factor'
