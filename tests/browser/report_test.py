"""Drives reports in headless Chromium: nothing is asked of a network, nothing is complained about, everything works.

    report_test.py WRITE_REPORTS [--pictures FOLDER] [--report FILE.html]

--pictures also saves what the report looks like, light, dark, narrow and printed; --report takes a report to look at
instead of the example.
"""

import argparse
import base64
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

try:
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys
except ImportError:
    print("skipped: the Python module selenium (package python3-selenium) is missing")
    sys.exit(77)

BROWSER, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
if not BROWSER or not DRIVER:
    print("skipped: chromium and chromedriver (packages chromium, chromium-driver) are missing")
    sys.exit(77)

parser = argparse.ArgumentParser()
parser.add_argument("write_reports")
parser.add_argument("--pictures", type=pathlib.Path)
parser.add_argument("--report", type=pathlib.Path)
OPTIONS = parser.parse_args()


def start(width=1200, height=900, dark=False, scripts=True):
    options = webdriver.ChromeOptions()
    options.binary_location = BROWSER
    for argument in ("--headless=new", "--disable-gpu", "--hide-scrollbars", "--disable-background-networking",
                     "--no-first-run", f"--window-size={width},{height}"):
        options.add_argument(argument)
    if os.geteuid() == 0:
        options.add_argument("--no-sandbox")  # Chromium refuses to build its sandbox for root
    if dark:
        options.add_argument("--force-dark-mode")
    if not scripts:
        options.add_experimental_option("prefs", {"profile.managed_default_content_settings.javascript": 2})
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(service=Service(DRIVER), options=options)
    driver.set_page_load_timeout(60)
    # Smaller than Chromium's smallest window.
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                           {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})
    if dark:
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia",
                               {"features": [{"name": "prefers-color-scheme", "value": "dark"}]})
    return driver


def requests(driver):
    """Addresses that were asked for since the last call."""
    found = []
    for entry in driver.get_log("performance"):
        message = json.loads(entry["message"])["message"]
        if message["method"] == "Network.requestWillBeSent":
            found.append(message["params"]["request"]["url"])
    return found


class ReportTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        subprocess.run([OPTIONS.write_reports, cls.folder.name], check=True)
        cls.driver = start()

    @classmethod
    def tearDownClass(cls):
        cls.driver.quit()
        cls.folder.cleanup()

    def open(self, name="example", driver=None, unfold=True):
        driver = driver or self.driver
        self.path = pathlib.Path(self.folder.name, name + ".html")
        driver.get_log("browser")
        driver.get(self.path.as_uri())
        if unfold and driver.find_elements(By.CSS_SELECTOR, "body[data-ready]"):
            driver.execute_script("document.querySelectorAll('.fold').forEach(openFold)")
        return driver

    def find(self, selector):
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def eventually(self, read):
        """What `read` returns as soon as it is true: browsers tell a page of clicks, opened parts and pointers a moment
        later. After ten seconds what it returned last."""
        end = time.monotonic() + 10
        while True:
            value = read()
            if value or time.monotonic() > end:
                return value
            time.sleep(0.02)

    def shown_ranks(self):
        return [row.find_element(By.CSS_SELECTOR, "td").text for row in self.all(".ranking:not([hidden]) tbody tr")
                if row.is_displayed()]

    def test_nothing_is_requested_and_nothing_complained_about(self):
        self.driver.get_log("performance")
        self.open()
        self.assertEqual(self.find("body").get_attribute("data-ready"), "yes")
        for details in self.all("details.kernel summary"):
            details.click()
        self.assertEqual(self.driver.get_log("browser"), [])
        addresses = [a for a in requests(self.driver) if not a.startswith("data:")]
        self.assertEqual(addresses, [self.path.as_uri()])

    def open_folds(self):
        return self.driver.execute_script("return document.querySelectorAll('.fold[open]').length")

    def test_opens_with_the_answer_and_two_charts_and_folds_the_rest(self):
        self.open(unfold=False)
        self.assertEqual(self.open_folds(), 0)
        self.assertTrue(self.find(".answer").is_displayed())
        self.assertTrue(self.find("svg.stack").is_displayed())
        self.assertTrue(self.find('[data-chart="efficiency"] canvas').is_displayed())
        self.assertEqual(len(self.all("canvas")), 1)
        self.assertFalse(self.find("#ranking table").is_displayed())

    def test_sections_open_by_key_and_by_the_navigation_and_draw_their_charts_then(self):
        self.open(unfold=False)
        self.driver.execute_script("document.querySelector('#ranking-title').closest('summary').focus()")
        webdriver.ActionChains(self.driver).send_keys(Keys.ENTER).perform()
        self.assertTrue(self.eventually(lambda: self.all('[data-chart="bump"] canvas')))
        self.assertEqual(self.open_folds(), 1)
        self.find('nav a[href="#communication"]').click()
        self.assertTrue(self.eventually(lambda: self.open_folds() == 2))
        self.assertTrue(self.find("#communication").is_displayed())

    def test_sections_are_open_on_paper(self):
        self.open(unfold=False)
        folds = len(self.all(".fold"))
        for event, expected in (("beforeprint", folds), ("afterprint", 0)):
            self.driver.execute_script(f"window.dispatchEvent(new Event('{event}'))")
            self.assertEqual(self.open_folds(), expected)
        # Without scripts the style alone does it.
        hides = lambda: self.driver.execute_script(
            "return getComputedStyle(document.querySelector('.fold'), '::details-content').contentVisibility")
        self.assertEqual(hides(), "hidden")
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
        self.assertEqual(hides(), "visible")
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})

    def test_a_script_that_is_not_its_own_does_not_run(self):
        self.open()
        self.driver.execute_script("""
            const script = document.createElement('script');
            script.textContent = 'document.title = "run"';
            document.body.append(script);""")
        self.assertNotEqual(self.driver.title, "run")
        self.assertTrue(any("Content Security Policy" in entry["message"] for entry in self.driver.get_log("browser")))

    def test_sorts(self):
        self.open()
        ranks = self.shown_ranks()
        self.assertEqual(ranks, [str(i + 1) for i in range(len(ranks))])
        header = '.ranking:not([hidden]) th[data-sort="rank"]'
        self.find(header + " button").click()
        self.assertTrue(self.eventually(lambda: self.shown_ranks() == ranks))
        self.find(header + " button").click()
        self.assertTrue(self.eventually(lambda: self.shown_ranks() == ranks[::-1]))
        self.assertEqual(self.find(header).get_attribute("aria-sort"), "descending")
        self.find('.ranking:not([hidden]) th[data-sort="name"] button').click()
        names = lambda: [e.text.lower() for e in self.all(".ranking:not([hidden]) tbody code")]
        self.assertTrue(self.eventually(lambda: names() == sorted(names())))

    def test_filters(self):
        self.open()
        all_rows = len(self.shown_ranks())
        search = self.find("#ranking-filter")
        search.send_keys("grid::stencil")
        self.assertTrue(self.eventually(lambda: len(self.shown_ranks()) == 1))
        self.assertTrue(self.find("#ranking-count").text.startswith("1 of"))
        search.clear()
        search.send_keys("memory stalls")
        self.assertTrue(self.eventually(lambda: len(self.shown_ranks()) == 1))
        search.clear()
        search.send_keys(" ")
        self.assertTrue(self.eventually(lambda: len(self.shown_ranks()) == all_rows))
        self.find("#ranking-stopping").click()
        self.assertTrue(self.eventually(lambda: 5 <= len(self.shown_ranks()) < all_rows))

    def test_changes_the_target(self):
        self.open()
        self.assertEqual(len(self.all(".ranking:not([hidden])")), 1)
        self.assertIn("np=1024", self.find(".ranking:not([hidden]) caption").text)
        self.driver.execute_script("""
            const select = document.getElementById('ranking-target');
            select.value = '0';
            select.dispatchEvent(new Event('input'));""")
        self.assertIn("np=64", self.find(".ranking:not([hidden]) caption").text)

    def test_opens_a_kernel_and_draws_its_charts_then(self):
        self.open()
        self.assertEqual(self.all("details.kernel canvas"), [])
        self.find("#ranking-filter").send_keys("grid::stencil")
        next(code for code in self.all(".ranking:not([hidden]) tbody code") if code.is_displayed()).click()
        canvases = self.eventually(lambda: self.all("details.kernel[open] canvas"))
        self.assertEqual(len(self.all("details.kernel[open]")), 1)
        self.assertGreaterEqual(len(canvases), 5)
        self.assertTrue(all(canvas.size["height"] > 50 for canvas in canvases))
        # The chart was drawn: not all pixels are clear.
        drawn = self.driver.execute_script("""
            const c = arguments[0];
            return c.getContext('2d').getImageData(0, 0, c.width, c.height).data.some((v) => v > 0);""", canvases[0])
        self.assertTrue(drawn)

    def test_toggles_dark_mode(self):
        self.open()
        colour = lambda: self.driver.execute_script("return getComputedStyle(document.body).backgroundColor")
        self.assertEqual(colour(), "rgb(255, 255, 255)")
        self.find("#theme").click()
        self.assertTrue(self.eventually(lambda: colour() != "rgb(255, 255, 255)"))
        self.assertEqual(self.find("#theme").text, "Light")
        self.find("#theme").click()
        self.assertEqual(colour(), "rgb(255, 255, 255)")

    def test_follows_the_systems_dark_mode(self):
        driver = start(dark=True)
        try:
            self.open(driver=driver)
            background = driver.execute_script("return getComputedStyle(document.body).backgroundColor")
            self.assertNotEqual(background, "rgb(255, 255, 255)")
            # The button overrules the system's preference, and printing overrules both.
            driver.find_element(By.ID, "theme").click()
            colour = "return getComputedStyle(document.body).backgroundColor"
            self.assertEqual(driver.execute_script(colour), "rgb(255, 255, 255)")
            driver.find_element(By.ID, "theme").click()
            self.assertEqual(driver.execute_script(colour), background)
            driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {
                "media": "print", "features": [{"name": "prefers-color-scheme", "value": "dark"}]})
            self.assertEqual(driver.execute_script(colour), "rgb(255, 255, 255)")
        finally:
            driver.quit()

    def point_to(self, chart, value, dataset):
        """Moves the pointer to a value of a dataset (its label) of a chart; returns what would be clicked there."""
        canvas = self.find(f'[data-chart="{chart}"] canvas')
        self.driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", canvas)
        x, y, width, height = self.driver.execute_script("""
            const [canvas, label, at] = arguments;
            const chart = Chart.getChart(canvas);
            const i = chart.data.datasets.findIndex((d) => d.label === label);
            const point = chart.getDatasetMeta(i).data[at < 0 ? chart.data.datasets[i].data.length + at : at];
            const box = canvas.getBoundingClientRect();
            return [point.x, point.y, box.width, box.height];""", canvas, dataset, value)
        pointer = webdriver.ActionChains(self.driver, duration=0)
        pointer.move_to_element_with_offset(canvas, round(x - width / 2) - 1, round(y - height / 2)).perform()
        return pointer.move_to_element_with_offset(canvas, round(x - width / 2), round(y - height / 2))

    def tooltip(self, chart):
        """Title and lines of the tooltip that is shown, or None."""
        return self.driver.execute_script("""
            const tip = Chart.getChart(document.querySelector(`[data-chart="${arguments[0]}"] canvas`)).tooltip;
            return tip.opacity > 0 ? [tip.title, tip.body.flatMap((part) => part.lines)] : null;""", chart)

    def test_a_tooltip_tells_value_and_interval(self):
        self.open()
        self.assertIsNone(self.tooltip("efficiency"))
        document = json.loads(pathlib.Path(self.folder.name, "example.json").read_text())
        self.point_to("efficiency", -1, "predicted").perform()
        title, lines = self.eventually(lambda: self.tooltip("efficiency"))
        # Four significant digits of a percentage, trailing zeros left out.
        text = lambda value: f"{float(f'{100 * value:.4g}'):g}%"
        last = document["curve"]["samples"][-1]["efficiency"]
        self.assertIn(f"predicted: {text(last['value'])} ({text(last['low'])} - {text(last['high'])})", lines)
        self.assertFalse(any(line.startswith(("high", "low")) for line in lines), lines)
        # The tooltip disappears when the pointer leaves.
        webdriver.ActionChains(self.driver).move_to_element(self.find("h1")).perform()
        self.assertTrue(self.eventually(lambda: self.tooltip("efficiency") is None))

    def test_a_line_of_the_ranking_tells_its_kernel_and_opens_it(self):
        self.open()
        document = json.loads(pathlib.Path(self.folder.name, "example.json").read_text())
        main = max(range(len(document["targets"])), key=lambda i: document["targets"][i]["at"]["np"])
        kernel = next(k for k in document["kernels"] if k["targets"]["cause"][main])
        label = self.driver.execute_script("""
            const chart = Chart.getChart(document.querySelector('[data-chart="bump"] canvas'));
            return chart.data.datasets.find((d) => d.kernel.id === arguments[0])?.label;""", kernel["id"])
        self.assertIsNotNone(label)
        pointer = self.point_to("bump", -1, label)
        pointer.perform()
        title, lines = self.eventually(lambda: self.tooltip("bump"))
        self.assertEqual(title, ["np=1024 *"])
        self.assertIn(f"{kernel['targets']['rank'][main]}: {label} ({kernel['targets']['cause'][main]})", lines)
        self.assertEqual(self.all("details.kernel[open]"), [])
        pointer.click().perform()
        opened = self.eventually(lambda: self.all("details.kernel[open]"))
        self.assertEqual([int(details.get_attribute("data-id")) for details in opened], [kernel["id"]])
        self.assertTrue(self.eventually(lambda: opened[0].find_elements(By.CSS_SELECTOR, "canvas")))

    def test_zooms_and_returns(self):
        self.open()
        range_of = """
            const chart = Chart.getChart(document.querySelector('[data-chart="speedup"] canvas'));
            return [chart.scales.x.min, chart.scales.x.max];"""
        self.assertEqual(self.driver.execute_script(range_of), [2, 1024])
        canvas = self.find('[data-chart="speedup"] canvas')
        webdriver.ActionChains(self.driver).move_to_element_with_offset(canvas, -80, 0).click_and_hold() \
            .move_by_offset(60, 0).move_by_offset(60, 0).release().perform()
        shown = lambda: self.driver.execute_script(range_of)
        self.assertTrue(self.eventually(lambda: shown()[0] > 2))
        self.assertLess(shown()[1], 1024)
        self.find('[data-chart="speedup"] .zoom-out').click()
        self.assertTrue(self.eventually(lambda: shown() == [2, 1024]))

    def test_a_legend_hides_a_curve_and_its_interval(self):
        self.open()
        hidden = self.driver.execute_script("""
            const chart = Chart.getChart(document.querySelector('[data-chart="speedup"] canvas'));
            const item = chart.legend.legendItems.find((entry) => entry.text === 'predicted');
            chart.options.plugins.legend.onClick(null, item, chart.legend);
            return chart.data.datasets.filter((d, i) => !chart.isDatasetVisible(i)).map((d) => d.label);""")
        self.assertEqual(sorted(hidden), ["high", "low", "predicted"])

    def test_points_of_modelled_totals_are_not_called_measured(self):
        self.open()
        document = json.loads(pathlib.Path(self.folder.name, "example.json").read_text())
        self.assertEqual(document["total_is"], "modelled")
        labels = lambda selector: self.driver.execute_script("""
            const canvas = document.querySelector(arguments[0]);
            return Chart.getChart(canvas).data.datasets.map((d) => d.label);""", selector + " canvas")
        for chart in ("speedup", "efficiency"):
            self.assertIn("modelled from runs", labels(f'[data-chart="{chart}"]'))
            self.assertNotIn("measured", labels(f'[data-chart="{chart}"]'))
        for kind, label in (("mpi", "modelled from runs"), ("function", "measured")):
            kernel = next(k for k in document["kernels"] if k["kind"] == kind)
            details = f'details.kernel[data-id="{kernel["id"]}"]'
            self.find(details + " summary").click()
            self.assertTrue(self.eventually(lambda: self.all(details + " canvas")))
            self.assertIn(label, labels(details))

    def test_hostile_names_stay_text(self):
        self.open("hostile")
        self.assertEqual(self.find("body").get_attribute("data-ready"), "yes")
        for summary in self.all("details.kernel summary"):
            summary.click()
        self.assertEqual(self.all("img"), [])
        self.assertEqual(self.driver.get_log("browser"), [])
        self.assertIn("</script><img src=x onerror=alert(1)>", self.find("h1").text)

    def test_nothing_is_wider_than_a_narrow_screen(self):
        driver = start(width=400)
        try:
            self.open(driver=driver)
            self.assertLessEqual(driver.execute_script("return document.documentElement.scrollWidth"), 400)
            drawn = lambda: driver.execute_script("""
                return [...document.querySelectorAll('canvas')].map((c) =>
                    c.getContext('2d').getImageData(0, 0, c.width, c.height).data.some((v) => v > 0));""")
            self.assertTrue(self.eventually(lambda: len(drawn()) >= 5 and all(drawn())))
        finally:
            driver.quit()

    def test_without_scripts_every_number_is_there(self):
        document = json.loads(pathlib.Path(self.folder.name, "example.json").read_text())
        driver = start(scripts=False)
        try:
            self.open(driver=driver)
            self.assertEqual(driver.find_elements(By.CSS_SELECTOR, "body[data-ready]"), [])
            for summary in driver.find_elements(By.CSS_SELECTOR, ".fold > summary"):
                summary.click()
            text = driver.find_element(By.TAG_NAME, "body").text
            for sentence in document["verdict"]:
                self.assertIn(sentence, text)
            for target in document["targets"]:
                self.assertIn(f"{100 * target['efficiency']:.2g}%", text)
            for e in document["efficiencies"]:
                self.assertIn(f"{100 * e['parallel_efficiency']:.1f}%", text)
            rows = driver.find_elements(By.CSS_SELECTOR, ".ranking tbody tr")
            self.assertEqual(len(rows), len(document["kernels"]) * len(document["targets"]))
            self.assertTrue(all(row.is_displayed() for row in rows))
            self.assertEqual(len(driver.find_elements(By.CSS_SELECTOR, "svg.curve")), 2)
            self.assertTrue(driver.find_element(By.CSS_SELECTOR, "svg.curve").is_displayed())
        finally:
            driver.quit()

    def test_thousands_of_kernels_can_be_used(self):
        self.driver.execute_cdp_cmd("Performance.enable", {})
        begin = time.monotonic()
        self.open("large", unfold=False)
        elapsed = time.monotonic() - begin
        self.assertEqual(self.find("body").get_attribute("data-ready"), "yes")
        # The working time of the page's thread depends less on other activity of the machine.
        metrics = {m["name"]: m["value"] for m in self.driver.execute_cdp_cmd("Performance.getMetrics", {})["metrics"]}
        print(f"\n3,000 kernels at 12 scales, {self.path.stat().st_size / 1e6:.1f} MB: ready {elapsed:.2f} s after it was "
              f"asked for; scripts {metrics['ScriptDuration']:.2f} s, layout {metrics['LayoutDuration']:.2f} s, "
              f"styles {metrics['RecalcStyleDuration']:.2f} s")
        self.driver.execute_script("document.querySelectorAll('.fold').forEach(openFold)")
        begin = time.monotonic()
        self.find("#ranking-minor").click()
        self.find('.ranking:not([hidden]) th[data-sort="name"] button').click()
        print(f"all shown and sorted by name: {time.monotonic() - begin:.2f} s")
        # Only the first of 3,002 kernels are shown, but every one can be found.
        self.assertIn("of 3002 kernels", self.find("#ranking-count").text)
        self.find("#ranking-filter").send_keys("Operator<double, 2987>")
        shown = self.driver.execute_script(
            "return [...document.querySelectorAll('.ranking:not([hidden]) tbody tr')].filter((r) => !r.hidden).map((r) => r.cells[2].innerText)")
        self.assertEqual(len(shown), 1)
        self.assertIn("Operator<double, 2987>", shown[0])
        self.driver.execute_script("document.querySelector('.ranking:not([hidden]) tr:not([hidden]) td code').click()")
        self.assertTrue(self.eventually(lambda: len(self.all("#opened details.kernel[open] canvas")) == 1))
        self.assertEqual(self.driver.get_log("browser"), [])


def take_pictures(report, folder):
    folder.mkdir(parents=True, exist_ok=True)
    for name, width, dark, scripts, unfold in [
            ("light", 1200, False, True, False), ("open", 1200, False, True, True), ("dark", 1200, True, True, False),
            ("narrow", 400, False, True, False), ("narrow-open", 400, False, True, True),
            ("no-scripts", 1200, False, False, False)]:
        driver = start(width, 900, dark, scripts)
        driver.get(report.resolve().as_uri())
        if unfold:
            # One kernel is opened, so that its charts can be seen; tables are laid out although nobody has scrolled to
            # them.
            driver.execute_script("""
                document.querySelectorAll('.fold').forEach(openFold);
                document.querySelector('details.kernel').open = true;
                document.querySelectorAll('.ranking').forEach((table) => { table.style.contentVisibility = 'visible'; });""")
        time.sleep(2)
        height = driver.execute_cdp_cmd("Page.getLayoutMetrics", {})["cssContentSize"]["height"]
        picture = driver.execute_cdp_cmd("Page.captureScreenshot", {
            "captureBeyondViewport": True, "clip": {"x": 0, "y": 0, "width": width, "height": height, "scale": 1}})
        (folder / f"{name}.png").write_bytes(base64.b64decode(picture["data"]))
        if name == "light":
            paper = driver.execute_cdp_cmd("Page.printToPDF",
                                           {"printBackground": False, "paperWidth": 8.27, "paperHeight": 11.69})
            (folder / "print.pdf").write_bytes(base64.b64decode(paper["data"]))
        driver.quit()


if __name__ == "__main__":
    if OPTIONS.pictures:
        if OPTIONS.report:
            take_pictures(OPTIONS.report, OPTIONS.pictures)
        else:
            with tempfile.TemporaryDirectory() as folder:
                subprocess.run([OPTIONS.write_reports, folder, "example"], check=True)
                take_pictures(pathlib.Path(folder, "example.html"), OPTIONS.pictures)
        sys.exit(0)
    unittest.main(argv=sys.argv[:1], verbosity=2)
