import { Button, Group, Loader, Modal, Stack, Text } from '@mantine/core'
import { IconExternalLink } from '@tabler/icons-react'
import { type MouseEvent, useEffect, useState } from 'react'
import { translations } from './messages.ts'
import { recentSignIn, type SignInQuestion } from './recent-sign-in.ts'
import { watchSignIn } from './sign-in-watch.ts'

const t = translations('ui.frame')

const address = '/auth/login?recent=1'
const windowName = 'atrium-sign-in'

/**
 * Asks the person to sign in again in a separate window, and waits for it. The page below stays
 * unchanged; pending calls continue once the same person is back. When another person signs in, the
 * page is reloaded for them.
 */
export default function RecentSignInDialog({ question }: { question: SignInQuestion }) {
  const [waiting, setWaiting] = useState(false)
  useEffect(
    () =>
      watchSignIn({
        onRenewed: () => recentSignIn.complete(true),
        onOther: () => window.location.reload(),
      }),
    [],
  )

  // A window of a fitting size where the browser gives one; else the link opens a tab by itself.
  function open(event: MouseEvent) {
    if (event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey) return
    const left = Math.max(0, window.screenX + (window.outerWidth - 480) / 2)
    const opened = window.open(
      address,
      windowName,
      `popup,width=480,height=720,left=${left},top=${window.screenY + 60}`,
    )
    if (opened) event.preventDefault()
    setWaiting(true)
  }

  return (
    <Modal
      opened
      onClose={() => recentSignIn.complete(false)}
      title={t('recentSignIn.title')}
      size="md"
      zIndex={300}
      // Escape is heard before the dialogs below hear it (recent-sign-in.ts); a click beside it is
      // too easily an accident.
      closeOnEscape={false}
      closeOnClickOutside={false}
      closeButtonProps={{ 'aria-label': t('cancel') }}
    >
      <Stack>
        <Text size="sm">{t('recentSignIn.reason', { message: question.message })}</Text>
        <div>
          <Text size="sm" c="dimmed">
            {t('recentSignIn.hint')}
          </Text>
          <div role="status">
            {waiting && (
              <Group gap="xs" mt="md">
                <Loader size="xs" aria-hidden />
                <Text size="sm">{t('recentSignIn.waiting')}</Text>
              </Group>
            )}
          </div>
        </div>
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={() => recentSignIn.complete(false)}>
            {t('cancel')}
          </Button>
          <Button
            component="a"
            href={address}
            target={windowName}
            onClick={open}
            rightSection={<IconExternalLink size={16} aria-hidden />}
            data-autofocus
          >
            {t(waiting ? 'recentSignIn.openAgain' : 'recentSignIn.signIn')}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
