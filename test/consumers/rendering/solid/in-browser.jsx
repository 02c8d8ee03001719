import { hydrate } from 'solid-js/web';
import { Page } from './page';

hydrate(() => <Page />, document.querySelector('#app'));
