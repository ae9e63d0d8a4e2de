import { ProblemAlert } from '@atrium/ui/data-states'
import { formatElapsed } from '@atrium/ui/format'
import { translations } from '@atrium/ui/messages'
import { useMutation } from '@atrium/ui/use-mutation'
import { Button, Group, Stack, Text } from '@mantine/core'
import { useInterval } from '@mantine/hooks'
import { IconDownload, IconQrcode } from '@tabler/icons-react'
import { useState } from 'react'
import classes from './devices.module.css'
import { createProfileLink, type ProfileLink, profileAddress } from './mail-profile.ts'
import { QrCode } from './qr-code.tsx'

const t = translations('portal.devices')

/**
 * The profile for a phone: as a code to scan from another screen, or as a download on the phone
 * itself.
 */
export function PhoneLink({ slug }: { slug: string }) {
  const create = useMutation({ mutationFn: () => createProfileLink(slug), gcTime: 0 })
  return (
    <Stack>
      {create.error && <ProblemAlert title={t('phone.failed')} error={create.error} />}
      {create.data && (
        <Code
          key={create.data.url}
          link={create.data}
          onAgain={() => create.mutate()}
          pending={create.isPending}
        />
      )}
      <Group gap="xs">
        {!create.data && (
          <Button
            leftSection={<IconQrcode size={18} aria-hidden />}
            loading={create.isPending}
            onClick={() => create.mutate()}
          >
            {t('phone.show')}
          </Button>
        )}
        <Button
          component="a"
          href={profileAddress(slug)}
          variant="default"
          leftSection={<IconDownload size={18} aria-hidden />}
        >
          {t('phone.install')}
        </Button>
      </Group>
    </Stack>
  )
}

interface CodeProps {
  link: ProfileLink
  onAgain: () => void
  pending: boolean
}

function Code({ link, onAgain, pending }: CodeProps) {
  const [now, setNow] = useState(() => Date.now())
  useInterval(() => setNow(Date.now()), 1_000, { autoInvoke: true })
  const left = new Date(link.expiresAt).getTime() - now
  if (left <= 0) {
    return (
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{t('phone.expired')}</Text>
        <Button size="xs" onClick={onAgain} loading={pending}>
          {t('phone.again')}
        </Button>
      </Stack>
    )
  }
  return (
    <div className={classes.link}>
      <QrCode text={link.url} label={t('phone.codeLabel')} />
      <div>
        <ol className={classes.steps}>
          <li>{t('phone.steps.scan')}</li>
          <li>{t('phone.steps.allow')}</li>
          <li>{t('phone.steps.install')}</li>
          <li>{t('phone.steps.password')}</li>
        </ol>
        <Text size="sm" c="dimmed" mt="sm">
          {t('phone.validFor', { time: formatElapsed(left) })}
        </Text>
        <Button size="xs" variant="subtle" mt="xs" onClick={onAgain} loading={pending}>
          {t('phone.again')}
        </Button>
      </div>
    </div>
  )
}
